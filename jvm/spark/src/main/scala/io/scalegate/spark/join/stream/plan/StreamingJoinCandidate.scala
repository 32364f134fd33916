package io.scalegate.spark.join.stream.plan

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.util.UnsafeRowUtils
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.scalegate.RealTimeMode
import org.apache.spark.sql.streaming.OutputMode

import io.scalegate.band.IntegralBand
import io.scalegate.spark.bounds.{
  BoundExtractor,
  BoundedDifference,
  DifferenceLimit,
  DifferenceRange,
  TermType
}
import io.scalegate.spark.join.Probing
import io.scalegate.spark.join.plan.{MatrixChoice, WindowJoinCandidate}
import io.scalegate.spark.join.rowcount.WithinRows
import io.scalegate.spark.settings.{Algorithm, Errors, JoinOperator, NamedOperator, ScaleGateConf}
import io.scalegate.stream.Sides

/** The event times by which the rows of a join of two streams expire, and the bound between them.
  *
  * @param left
  *   the event time of the left input, as `right` is that of the right one
  */
final private[plan] case class StreamTimes(
    left: Attribute,
    right: Attribute,
    bound: BoundedDifference
)

/** The event times of a join over intervals, and what ends the interval of a row of each side.
  *
  * @param left
  *   the event time of the left input, as `right` is that of the right one
  * @param leftEnd
  *   by how much at most a right row comes after a value of the left one
  * @param rightEnd
  *   by how much at least a value of the right row comes after the left one
  */
final private[plan] case class StreamIntervals(
    left: Attribute,
    right: Attribute,
    leftEnd: DifferenceLimit,
    rightEnd: DifferenceLimit
) {
  def leftReach: Long = StreamIntervals.micros(leftEnd.upper.get)
  def rightReach: Long = StreamIntervals.micros(-rightEnd.lower.get)
}

private[plan] object StreamIntervals {
  private def micros(d: BigDecimal): Long =
    d.max(BigDecimal(Long.MinValue)).min(BigDecimal(Long.MaxValue)).toLong
}

/** What the planner knows of a join of two streams. Made when a query starts and when a batch is planned; one thread.
  *
  * @param base
  *   the same join, as one of any inputs, without its window of rows
  * @param rows
  *   that window, if it has one
  */
final private[plan] class StreamingJoinCandidate(
    val base: WindowJoinCandidate,
    val rows: Option[WithinRows]
) {
  private[this] def join = base.join

  private[this] val leftTimes = PlannedPairs.eventTimes(join.left)
  private[this] val rightTimes = PlannedPairs.eventTimes(join.right)

  /** The event times of both sides and the bound between them, by which rows expire. An input that was joined before
    * has several: those that the condition bounds count.
    */
  val time: Option[StreamTimes] = (for {
    l <- leftTimes.iterator
    r <- rightTimes.iterator
    bound <- base.differences
      .find(d => d.left.semanticEquals(l) && d.right.semanticEquals(r))
      .orElse(timeAsKey(l, r))
  } yield StreamTimes(l, r, bound)).nextOption()

  /** Bounds that are columns, from a row's event time to the end of its interval, where they and not a width say how long
    * rows are held.
    */
  val intervals: Option[StreamIntervals] =
    if (time.nonEmpty || rows.nonEmpty) None
    else {
      val limits =
        new BoundExtractor(join.left.outputSet, join.right.outputSet).limits(base.conjuncts)
          .filterNot(ScaleGateConf.ansiErrors(SQLConf.get) && _.mayThrow)
      (for {
        l <- leftTimes.iterator
        r <- rightTimes.iterator
        leftEnd <- limits.find(d => d.upper.nonEmpty && d.right.semanticEquals(r))
        rightEnd <- limits.find(d => d.lower.nonEmpty && d.left.semanticEquals(l))
      } yield StreamIntervals(l, r, leftEnd, rightEnd)).nextOption()
    }

  /** Those that a window of rows goes by. */
  val rowTimes: Option[(Attribute, Attribute)] =
    rows.flatMap(_.times(join.left.outputSet, join.right.outputSet)).collect {
      case (l: Attribute, r: Attribute)
          if isEventTime(l, leftTimes) && isEventTime(r, rightTimes) =>
        (l, r)
    }

  /** The last rows of each side that a window of rows holds. */
  def rowCounts: Option[Sides[Long]] =
    rows.flatMap(_.rows(join.left.outputSet, join.right.outputSet))

  /** The keys by which a window of rows counts them, if it does, and if each that it names is of one side. */
  val rowKeys: Option[(Seq[Expression], Seq[Expression])] =
    rows.filter(_.isPerKey).flatMap(_.keys(join.left.outputSet, join.right.outputSet))

  /** The same as bytes; none where they may be equal without being the same. */
  val windowKeys: Option[Sides[Seq[Expression]]] = rowKeys
    .map { case (l, r) => Sides(l.map(WithinRows.comparable), r.map(WithinRows.comparable)) }
    .filter(k => (k.left ++ k.right).forall(e => UnsafeRowUtils.isBinaryStable(e.dataType)))

  private[this] def isPerKey = rows.exists(_.isPerKey)

  private[this] def isEventTime(a: Attribute, among: Seq[Attribute]) =
    among.exists(_.semanticEquals(a))

  /** Equal event times are a bound of width zero. */
  private[this] def timeAsKey(l: Attribute, r: Attribute): Option[BoundedDifference] =
    base.leftKeys.zip(base.rightKeys).collectFirst {
      case (x, y) if x.semanticEquals(l) && y.semanticEquals(r) =>
        BoundedDifference(
          x,
          y,
          TermType.from(l.dataType).get,
          DifferenceRange(0, 0),
          exact = true
        )
    }

  private[this] def isKeyed = base.leftKeys.nonEmpty

  private[this] def isPlain = join.condition.forall(StreamingJoins.isPlain)

  private[this] def isBounded =
    if (isPerKey) rowTimes.nonEmpty && windowKeys.nonEmpty
    else if (rows.nonEmpty) rowTimes.nonEmpty
    else intervals.nonEmpty || time.exists(_.bound.band.isInstanceOf[IntegralBand])

  def isRunnable: Boolean =
    Probing.from(join.joinType).nonEmpty && isBounded && isPlain &&
      (!isKeyed || isPerKey || base.key.nonEmpty)

  /** Whether a hint asks for the rows in the order of their times, from one task. */
  def isOrdered: Boolean = base.isOrdered

  /** The operator of the papers that a hint asks for, if there is anything for it to join. */
  def operator: Option[NamedOperator] =
    named.filter(_ => rows.nonEmpty || time.exists(!_.bound.isEmpty))

  private[this] def named = base.requested.collect { case (o: NamedOperator, _) => o }

  /** Whether rows wait for the watermark: what a window of rows holds, or an operator gives, depends on all that come
    * before.
    */
  def isInTurn: Boolean = isOrdered || rows.nonEmpty || operator.nonEmpty

  /** Whether Spark runs it if this package does not. */
  def isSparks: Boolean = isKeyed && !base.isRequested && rows.isEmpty

  /** Whether its rows are to be joined as they come. Known when a batch is planned. */
  def isRealTime: Boolean = RealTimeMode.isIn(join)

  /** Whether its tasks may call functions in Python for the pairs that they find: what finds them has to find each. */
  def mayCallPython: Boolean = operator.isEmpty

  /** Whether a hint asks for a matrix of cells. */
  def isMatrix: Boolean = base.requested.exists(_._1 == Algorithm.Matrix)

  /** A hint that names a way to run joins that streams do not have is an error. */
  def refuseAlgorithm(): Unit = {
    base.requested.foreach { case (algorithm, _) =>
      if (algorithm != Algorithm.Index && algorithm != Algorithm.Matrix && named.isEmpty)
        throw Errors.streamAlgorithm(algorithm.name)
    }
    for (o <- named; why <- obstacle(o.operator)) throw Errors.streamOperator(o.name, why)
    if (isOrdered && intervals.nonEmpty) throw Errors.streamIntervalOrder
    if (isMatrix) {
      if (isInTurn) throw Errors.streamLayoutOf("its rows come in one order, and from one task")
      if (isKeyed)
        throw Errors.streamLayoutOf("rows with equal keys are brought together by the key")
      MatrixChoice.forStreams(base, Probing.from(join.joinType).get)
    }
  }

  /** Why an operator does not join these streams. */
  private[this] def obstacle(operator: JoinOperator): Option[String] =
    if (isPerKey) Some("the last rows of each key are joined in one way alone")
    else if (intervals.nonEmpty)
      Some("no operator has a window whose end is a column: ask for 'index'")
    else if (operator.innerOnly)
      Some("its results come in no order, and those of streams do: 'llhj' gives the same rows")
    else JoinOperator.obstacle(operator, isKeyed && rows.isEmpty, isInner)

  private[this] def isInner = Probing.from(join.joinType).exists(_.isInner)

  /** Why neither does. */
  def refusal: Exception = {
    val missing = Seq("left" -> leftTimes, "right" -> rightTimes).collect {
      case (side, times) if times.isEmpty => side
    }
    if (missing.nonEmpty) Errors.streamWithoutWatermark(missing)
    else if (rows.nonEmpty && rowTimes.isEmpty)
      Errors.streamRowTimes(rows.get.sql, leftTimes.head.name, rightTimes.head.name)
    else if (isPerKey && windowKeys.isEmpty) Errors.streamRowKeys(rows.get.sql)
    else if (rows.isEmpty && time.isEmpty)
      Errors.streamWithoutBound(leftTimes.head.name, rightTimes.head.name)
    else if (!isPlain) Errors.streamCondition(join.condition.fold("")(_.sql))
    else Errors.hintJoinType(join.joinType.sql)
  }

  /** A row that is given for having no match is given for good: it is never updated. Real-Time Mode has no other mode of
    * output.
    */
  def refuseMode(mode: OutputMode, isRealTime: Boolean): Unit = {
    val probing = Probing.from(join.joinType).get
    val final_ = probing.unmatched || probing.unfound
    if (mode == OutputMode.Update() && final_ && !isRealTime)
      throw Errors.streamMode(s"${join.joinType.sql} join", "update")
    StreamingJoins.refuseMode(join, s"${join.joinType.sql} join", mode)
  }
}

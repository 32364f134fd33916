package io.scalegate.spark.join.stream.plan

import org.apache.spark.sql.catalyst.expressions.{
  And,
  Attribute,
  Coalesce,
  Expression,
  If,
  IsNull,
  Literal,
  NamedExpression,
  Or,
  PredicateHelper
}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.scalegate.SparkStreams

import io.scalegate.band.{AttributeType, Band, Grid, IntegralBand}
import io.scalegate.spark.bounds.{BoundText, BoundedDifference}
import io.scalegate.spark.checkpoint.{JoinTerms, OlderJoinTerms}
import io.scalegate.spark.join.aggregate.IntervalAggregate
import io.scalegate.spark.join.asof.AsOfJoin
import io.scalegate.spark.join.batch.{SliceBy, SliceExec}
import io.scalegate.spark.join.cube.CubeJoin
import io.scalegate.spark.join.plan.MatrixChoice
import io.scalegate.spark.join.stream.hotkeys.{HotKeySplitting, SplitExec}
import io.scalegate.spark.join.stream.operator.ByOperator
import io.scalegate.spark.join.stream.perkey.LastRowsPerKey
import io.scalegate.spark.join.stream.state.{
  EventTimeWindow,
  IntervalWindow,
  RowCountWindow,
  StateReader,
  StreamWindow
}
import io.scalegate.spark.join.stream.{StreamCells, StreamCondition, StreamExchange, StreamJoin}
import io.scalegate.spark.join.{IndexTerms, Probing, WindowJoinOutputExec}
import io.scalegate.spark.plan.PythonCall
import io.scalegate.spark.rows.IndexBy
import io.scalegate.spark.settings.{Cores, ScaleGateConf}
import io.scalegate.stream.{Side, Sides}

/** Plans the joins of two streams: with equality keys, both inputs are exchanged by them; without, by the cells of a
  * grid over the bounded attributes beside time; with none of either, all rows meet in one task. The strategy runs in
  * every batch.
  */
object StreamingJoinStrategy extends SparkStrategy with PredicateHelper {
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case Project(columns, s: StreamingWindowJoin)
        if columns.forall(WindowJoinOutputExec.renamed(_).nonEmpty) =>
      planned(s, columns) :: Nil
    case s: StreamingWindowJoin => planned(s, s.output) :: Nil
    case a: AsOfJoin if a.isOfStreams =>
      new StreamingNearest(a).refuse().pairs(planLater).rows(a.output) :: Nil
    case a: IntervalAggregate if a.isOfStreams =>
      new StreamingAggregate(a, a.joins).refuse().pairs(planLater).rows(a.output) :: Nil
    case Project(columns, cube: CubeJoin)
        if cube.isStreaming && columns.forall(WindowJoinOutputExec.renamed(_).nonEmpty) =>
      new StreamingCube(cube).refuse().rows(columns, planLater) :: Nil
    case cube: CubeJoin if cube.isStreaming =>
      new StreamingCube(cube).refuse().rows(cube.output, planLater) :: Nil
    case _ => Nil
  }

  private[this] def planned(s: StreamingWindowJoin, columns: Seq[NamedExpression]): SparkPlan = {
    val c = StreamingJoins.candidate(s.join).getOrElse(
      throw new IllegalStateException(s"a join that was Spark's was taken from it: $s")
    )
    planned(c).rows(columns)
  }

  private[this] def planned(c: StreamingJoinCandidate): PlannedPairs = {
    val probing = Probing.from(c.base.join.joinType).get
    val left = PlannedPairs.oneEventTime(c.base.join.left, times(c)._1)
    val right = PlannedPairs.oneEventTime(c.base.join.right, times(c)._2)
    val others = besideTime(c)
    if (c.windowKeys.nonEmpty) perKey(c, probing, c.windowKeys.get, left, right)
    else if (c.operator.nonEmpty) operated(c, probing, left, right)
    else if (c.isInTurn) exec(c, probing, OneTask("in one task, in order"), left, right)
    else if (c.isMatrix) {
      val layout = MatrixChoice.forStreams(c.base, probing)
      val cells = StreamCells(SliceBy.Matrix.from(layout), Nil, Nil)
      exec(
        c,
        probing,
        Cells(s"in a matrix of $layout cells", cells, Some(layout.workers)),
        left,
        right
      )
    } else if (c.base.leftKeys.nonEmpty)
      exec(
        c,
        probing,
        Keys(
          c.base.leftKeys,
          c.base.rightKeys,
          !c.isRealTime && c.intervals.isEmpty && mayShare(probing)
        ),
        left,
        right
      )
    else if (others.isEmpty || probing.unfound)
      exec(c, probing, OneTask("in one task"), left, right)
    else {
      val dimensions = others.take(MostDimensions)
      val cells = StreamCells(
        SliceBy.Cells(Grid(dimensions.map(_.band).toIndexedSeq, single = probing.side)),
        dimensions.map(_.storedLeft),
        dimensions.map(_.storedRight)
      )
      val along = s"in cells along ${dimensions.map(_.right.sql).mkString(", ")}"
      exec(c, probing, Cells(along, cells, None), left, right)
    }
  }

  /** By an operator of the papers: as in batches, in one task, or in each key's. */
  private[this] def operated(
      c: StreamingJoinCandidate,
      probing: Probing,
      left: LogicalPlan,
      right: LogicalPlan
  ): PlannedPairs = {
    val exchange =
      if (c.base.leftKeys.nonEmpty && !c.isOrdered && c.rows.isEmpty)
        Keys(c.base.leftKeys, c.base.rightKeys, shared = false)
      else OneTask("in one task")
    exec(c, probing, exchange, left, right)
  }

  /** Each key's rows meet in one task, whatever other equalities there are. */
  private[this] def perKey(
      c: StreamingJoinCandidate,
      probing: Probing,
      keys: Sides[Seq[Expression]],
      left: LogicalPlan,
      right: LogicalPlan
  ): PlannedPairs = {
    val (leftTime, rightTime) = times(c)
    val same = c.rowKeys.toSeq.flatMap { case (l, r) => l.zip(r) }
    val condition = c.base.bareCondition
    val window = c.rows.get
    val rows = c.rowCounts.get
    val parts = Seq(
      Some(same.map { case (l, r) => s"${l.sql} = ${r.sql}" }.mkString("keys: ", ", ", "")),
      Some(s"window: ${window.describe}"),
      condition.map(e => s"residual: ${e.sql}"),
      Some("algorithm: each key's last rows, in order")
    )
    val join = PlannedPairs.joinByKeys(
      probing,
      keys,
      Sides(leftTime, rightTime),
      RowCountWindow(0, rows),
      condition,
      LastRowsPerKey(keys, rows),
      termsPerKey(c, same),
      BoundText.withoutOwnNames(parts.flatten.mkString("; "))
    )
    PlannedPairs.of(c.isRealTime, join, keys, Sides(planLater(left), planLater(right)))
  }

  private[this] def termsPerKey(
      c: StreamingJoinCandidate,
      keys: Seq[(Expression, Expression)]
  ): JoinTerms =
    JoinTerms(
      keys,
      c.base.bareCondition.toSeq,
      Seq(times(c)._1, times(c)._2),
      c.rowCounts,
      perKey = true,
      nearest = None,
      aggregated = None,
      where = None,
      cells = Nil,
      OlderJoinTerms(keys, Nil, rowsOf(c), c.base.bareCondition, c.base.bareCondition, "", false)
    )

  /** A full join decides the rows of both sides, each where all that it matches is. */
  private[this] def mayShare(probing: Probing) = !probing.unfound && {
    val conf = SQLConf.get
    SparkStreams.statefulPartitions(conf).getOrElse(conf.numShufflePartitions) > 1
  }

  /** How the inputs of a join are exchanged, so that rows that match meet. */
  sealed private[this] trait Exchange

  /** All rows meet in one task. */
  final private[this] case class OneTask(where: String) extends Exchange

  /** Rows with equal keys meet.
    *
    * @param shared
    *   whether several partitions may share a hot key
    */
  final private[this] case class Keys(
      left: Seq[Expression],
      right: Seq[Expression],
      shared: Boolean
  ) extends Exchange

  /** Rows meet in cells.
    *
    * @param partitions
    *   if it is not for Spark to say how many
    */
  final private[this] case class Cells(where: String, cells: StreamCells, partitions: Option[Int])
      extends Exchange

  private[this] def exec(
      c: StreamingJoinCandidate,
      probing: Probing,
      exchange: Exchange,
      left: LogicalPlan,
      right: LogicalPlan
  ): PlannedPairs = {
    def sliced(side: Side, input: LogicalPlan, cells: StreamCells) =
      SliceExec(
        planLater(input),
        side,
        probing,
        cells.by,
        cells.attributes(side),
        StateReader.CellColumn
      )
    def pairs(join: StreamJoin, keys: Sides[Seq[Expression]], inputs: Sides[SparkPlan]) =
      PlannedPairs.of(c.isRealTime, join, keys, inputs)
    exchange match {
      case OneTask(where) =>
        val join = joinOf(c, probing, StreamExchange(partitions = Some(1)), Some(where))
        pairs(join, Sides(Nil, Nil), Sides(planLater(left), planLater(right)))
      case Keys(leftKeys, rightKeys, false) =>
        val join = joinOf(c, probing, StreamExchange(), None)
        pairs(join, Sides(leftKeys, rightKeys), Sides(planLater(left), planLater(right)))
      case Keys(leftKeys, rightKeys, true) =>
        val splitting = new HotKeySplitting
        val join = joinOf(c, probing, StreamExchange(splitting = Some(splitting)), None)
        val (byLeft, byRight) = times(c)
        val l = SplitExec(leftKeys, byLeft, Side.R, splitting, planLater(left))
        val r = SplitExec(rightKeys, byRight, Side.S, splitting, planLater(right))
        PlannedPairs.from(join, Sides(Seq(l.cell), Seq(r.cell)), Sides(l, r))
      case Cells(where, cells, partitions) =>
        val (l, r) = (sliced(Side.R, left, cells), sliced(Side.S, right, cells))
        val ids = (l.output.last, r.output.last)
        val by = StreamExchange(Some(cells), partitions = partitions)
        val join = joinOf(c, probing, by, Some(where), Some(ids))
        pairs(join, Sides(Seq(ids._1), Seq(ids._2)), Sides(l, r))
    }
  }

  /** @param where
    *   rows meet, if not by keys
    * @param ids
    *   of the cells of left and right rows
    */
  private[this] def joinOf(
      c: StreamingJoinCandidate,
      probing: Probing,
      exchange: StreamExchange,
      where: Option[String],
      ids: Option[(Attribute, Attribute)] = None
  ): StreamJoin = {
    val terms = termsOf(c, ids)
    val bands = terms.by match {
      case IndexBy.Bands(bands) => bands
      case other => throw new IllegalStateException(s"a streaming join of $other")
    }
    val windowed = (c.rowCounts, c.intervals) match {
      case (Some(rows), _) => byRows(terms, bands, rows, times(c))
      case (_, Some(intervals)) => byIntervals(terms, bands, intervals)
      case _ => byTime(terms, bands, c.time.get.bound)
    }
    val isOneTask = exchange.partitions.contains(1)
    def threadsOfTask = c.rows.flatMap(_.threads).getOrElse(
      ScaleGateConf.cellThreads(SQLConf.get, if (isOneTask) Cores.ofOneTask else 1)
    )
    val operator = c.operator.map(_.onThreads(threadsOfTask))
    val algorithm = operator.fold(("index over both windows" +: where.toSeq).mkString(" ")) { o =>
      s"${o.describe} ${where.getOrElse("in each partition")}, in order"
    }
    val (python, residual) = PythonCall.apart(terms.residual)
    StreamJoin(
      probing,
      StreamCondition(
        Sides(windowed.left, windowed.right),
        Sides(times(c)._1, times(c)._2),
        windowed.bands,
        windowed.window,
        residual,
        python
      ),
      exchange,
      operator.map(ByOperator),
      c.isInTurn,
      if (isOneTask) threadsOfTask else 1,
      checkpointed(
        c,
        exchange.cells.map(_.by),
        c.operator.fold(where)(_ => Some(placeOf(where)))
      ),
      c.base.describe(algorithm, rowsOf(c))
    )
  }

  /** Where an operator's rows meet: what is held for one is of no use to an index, and for any other operator it is. */
  private[this] def placeOf(where: Option[String]) =
    (where.toSeq :+ "by an operator, in order").mkString(", ")

  private[this] def rowsOf(c: StreamingJoinCandidate) =
    c.rows.map(_.describe)

  /** What its checkpoint says of it. */
  private[this] def checkpointed(
      c: StreamingJoinCandidate,
      by: Option[SliceBy],
      where: Option[String]
  ): JoinTerms = {
    val keys = c.base.leftKeys.zip(c.base.rightKeys)
    val dimensions = dimensionsOf(c, by)
    val bounds = if (c.base.differences.isEmpty) Nil else c.base.sweep +: c.base.bands
    JoinTerms(
      keys,
      c.base.condition.toSeq,
      Seq(times(c)._1, times(c)._2),
      c.rowCounts,
      perKey = false,
      nearest = None,
      aggregated = None,
      if (dimensions.isEmpty) where else None,
      dimensions,
      OlderJoinTerms(
        keys,
        if (c.rows.isEmpty) bounds else c.base.differences,
        rowsOf(c),
        c.base.condition,
        c.base.residual,
        where.fold("")(w => s" $w"),
        dimensions.nonEmpty
      )
    )
  }

  /** The bounds that make a grid's cells. */
  private[this] def dimensionsOf(
      c: StreamingJoinCandidate,
      by: Option[SliceBy]
  ): Seq[BoundedDifference] = by match {
    case Some(_: SliceBy.Cells) => besideTime(c).take(MostDimensions)
    case _ => Nil
  }

  private[this] def besideTime(c: StreamingJoinCandidate): Seq[BoundedDifference] =
    c.base.differences.filterNot(d => c.time.exists(_.bound eq d))

  private[this] def times(c: StreamingJoinCandidate): (Attribute, Attribute) =
    c.time.filter(_ => c.rows.isEmpty).map(t => (t.left, t.right))
      .orElse(c.intervals.map(i => (i.left, i.right)))
      .getOrElse(c.rowTimes.get)

  /** What an index is asked for; the keys alone, where the event times are among them and nothing else is bounded. */
  private[this] def termsOf(
      c: StreamingJoinCandidate,
      cells: Option[(Expression, Expression)]
  ): IndexTerms = cells match {
    case Some((left, right)) if c.base.differences.isEmpty =>
      val same = IntegralBand(AttributeType.Int64, 0, 0)
      IndexTerms(Seq(left), Seq(right), IndexBy.Bands(Vector(same)), c.base.residual)
    case Some((left, right)) => c.base.indexTermsInCells(left, right)
    case None if c.base.differences.isEmpty =>
      val key = c.base.key
      IndexTerms(
        key.map(_.left).toSeq,
        key.map(_.right).toSeq,
        IndexBy.Bands(key.map(_.band).toVector),
        (key.flatMap(_.residual) ++ c.base.residual).reduceOption(And.apply)
      )
    case None => c.base.indexTerms
  }

  /** The bounded attributes, and along which of them the window slides. */
  final private[this] case class Windowed(
      left: Seq[Expression],
      right: Seq[Expression],
      bands: IndexedSeq[Band],
      window: StreamWindow
  )

  private[this] def byTime(
      terms: IndexTerms,
      bands: IndexedSeq[Band],
      time: BoundedDifference
  ): Windowed = {
    val band = time.band.asInstanceOf[IntegralBand]
    val at = terms.left.zip(terms.right).indexWhere { case (l, r) =>
      l.semanticEquals(time.storedLeft) && r.semanticEquals(time.storedRight)
    }
    if (at >= 0)
      Windowed(terms.left, terms.right, bands, EventTimeWindow(at, band.lower, band.upper))
    else
      Windowed(
        terms.left :+ time.storedLeft,
        terms.right :+ time.storedRight,
        bands :+ band,
        EventTimeWindow(bands.length, band.lower, band.upper)
      )
  }

  private[this] def byIntervals(
      terms: IndexTerms,
      bands: IndexedSeq[Band],
      intervals: StreamIntervals
  ): Windowed =
    // The window says which bands these are, for each side.
    Windowed(
      terms.left :+ intervals.leftEnd.storedLeft :+ intervals.left,
      terms.right :+ intervals.rightEnd.storedRight :+ intervals.right,
      bands :+ StreamWindow.AnyTime :+ StreamWindow.AnyTime,
      IntervalWindow(bands.length, intervals.leftReach, intervals.rightReach)
    )

  /** A row with a NULL among its attributes matches nothing, and is counted in the window: its attributes are others
    * then, and one more says so.
    */
  private[this] def byRows(
      terms: IndexTerms,
      bands: IndexedSeq[Band],
      rows: Sides[Long],
      times: (Attribute, Attribute)
  ): Windowed = {
    def side(attributes: Seq[Expression], time: Attribute, unusable: Int) = {
      val isNull = attributes.map(IsNull(_): Expression).reduceOption(Or.apply)
      val usable = isNull.map(If(_, Literal(unusable), Literal(0))).getOrElse(Literal(0))
      attributes.map(e => Coalesce(Seq(e, Literal.default(e.dataType)))) :+ usable :+ time
    }
    val usable = IntegralBand(AttributeType.Int32, 0, 0)
    val ordinal = IntegralBand(AttributeType.Int64, 0, 0)
    Windowed(
      side(terms.left, times._1, 1),
      side(terms.right, times._2, -1),
      bands :+ usable :+ ordinal,
      RowCountWindow(bands.length + 1, rows)
    )
  }

  /** More would make more copies of a side's rows than their selectivity is worth. */
  private[this] val MostDimensions = 2
}

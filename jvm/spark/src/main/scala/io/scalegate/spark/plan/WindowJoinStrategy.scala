package io.scalegate.spark.plan

import org.apache.spark.sql.catalyst.expressions.{
  And,
  AttributeReference,
  Cast,
  DateDiff,
  Expression,
  Literal,
  PredicateHelper,
  RowOrdering
}
import org.apache.spark.sql.catalyst.optimizer.JoinSelectionHelper
import org.apache.spark.sql.catalyst.planning.ExtractEquiJoinKeys
import org.apache.spark.sql.catalyst.plans.logical.{Join, JoinHint, LogicalPlan}
import org.apache.spark.sql.execution.{LocalTableScanExec, SparkPlan, SparkStrategy}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{
  BinaryType,
  DataType,
  DateType,
  DoubleType,
  IntegerType,
  LongType
}

import io.scalegate.join.Grid
import io.scalegate.spark.exec.{
  BroadcastWindowJoinExec,
  PackExec,
  Probing,
  RowWindowJoinExec,
  SliceExec,
  WindowJoinExec
}
import io.scalegate.spark.extract.{BoundExtractor, BoundedDifference, TermType}
import io.scalegate.spark.{Errors, ScaleGateConf}
import io.scalegate.stream.Side

/** Plans joins whose condition bounds a difference between the two inputs. It keeps no state, since adaptive
  * execution asks again about a join whose inputs have run.
  *
  * A join that carries one of Spark's own hints is left to Spark, and so is every join with no bounded
  * difference: such a plan is exactly Spark's.
  */
object WindowJoinStrategy
    extends SparkStrategy
    with PredicateHelper
    with JoinSelectionHelper {
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case WindowJoinHint(child) => planLater(child) :: Nil
    case window: RowWindowJoin => rowCounting(window) :: Nil
    case join: Join if ScaleGateConf.enabled(SQLConf.get) =>
      val candidate = new WindowJoinCandidate(join)
      refuseRowWindow(join)
      candidate.refuseWhatWasAskedFor()
      if (candidate.plannable) planned(candidate).toSeq else Nil
    case other => refuseRowWindow(other)
  }

  /** A row-count window that is still a predicate stands where it cannot be run. */
  private[this] def refuseRowWindow(plan: LogicalPlan): Seq[SparkPlan] = {
    plan.expressions.find(_.exists(_.isInstanceOf[WithinRows])).foreach { e =>
      throw Errors.withinRowsMisplaced(e.sql)
    }
    Nil
  }

  private[this] def planned(c: WindowJoinCandidate): Option[SparkPlan] =
    Probing.of(c.join.joinType).filter(_ => c.differences.nonEmpty).flatMap { probing =>
      if (c.differences.exists(_.isEmpty)) withoutMatches(c, probing)
      else if (c.leftKeys.nonEmpty) Some(keyed(c, probing))
      else Some(sideToBroadcast(c.join, probing).fold(keyless(c, probing))(broadcast(c, _)))
    }

  private[this] def withoutMatches(c: WindowJoinCandidate, probing: Probing): Option[SparkPlan] =
    if (probing.unmatched) None else Some(LocalTableScanExec(c.join.output, Nil, None))

  private[this] def keyed(c: WindowJoinCandidate, probing: Probing): SparkPlan =
    exec(
      c,
      probing,
      c.leftKeys,
      c.rightKeys,
      cells = false,
      planLater(c.join.left),
      planLater(c.join.right)
    )

  /** The way to probe with the other side broadcast, if that is small by Spark's own measure. An inner join
    * may probe with either side.
    */
  private[this] def sideToBroadcast(join: Join, probing: Probing): Option[Probing] = {
    val sides =
      if (probing.isInner) Seq(Side.R, Side.S) else Seq(probing.side.opposite)
    def input(side: Side) = if (side eq Side.R) join.left else join.right
    sides
      .filter(side => canBroadcastBySize(input(side), SQLConf.get))
      .minByOption(input(_).stats.sizeInBytes)
      .map(side => probing.copy(side = side.opposite))
  }

  private[this] def broadcast(c: WindowJoinCandidate, probing: Probing): SparkPlan = {
    val bounds = c.sweep +: c.bands
    val fromLeft = probing.side eq Side.R
    val packed = PackExec(
      AttributeReference("__scalegate_rows", BinaryType, nullable = false)(),
      planLater(if (fromLeft) c.join.right else c.join.left)
    )
    BroadcastWindowJoinExec(
      probing,
      if (fromLeft) c.join.right.output else c.join.left.output,
      bounds.map(storedLeft),
      bounds.map(storedRight),
      bounds.map(_.band),
      c.residual,
      c.join.output,
      c.describe(s"index over the broadcast ${if (fromLeft) "right" else "left"} side"),
      if (fromLeft) planLater(c.join.left) else packed,
      if (fromLeft) packed else planLater(c.join.right)
    )
  }

  private[this] def keyless(c: WindowJoinCandidate, probing: Probing): SparkPlan = {
    val dimensions = if (c.bands.isEmpty) Seq(c.sweep) else c.bands.take(MostDimensions)
    val grid = Grid(dimensions.map(_.band).toIndexedSeq, single = probing.side)
    def sliced(input: LogicalPlan, side: Side, attributes: Seq[Expression]) = {
      val cell = AttributeReference("__scalegate_cell", LongType, nullable = false)()
      val whole = probing.unmatched && (side eq probing.side)
      SliceExec(attributes, grid, side, whole, cell, planLater(input))
    }
    val left = sliced(c.join.left, Side.R, dimensions.map(storedLeft))
    val right = sliced(c.join.right, Side.S, dimensions.map(storedRight))
    exec(
      c,
      probing,
      Seq(left.output.last),
      Seq(right.output.last),
      cells = true,
      left,
      right
    )
  }

  private[this] def rowCounting(w: RowWindowJoin): SparkPlan = {
    val conjuncts = w.condition.toSeq.flatMap(splitConjunctivePredicates)
    val extractor = new BoundExtractor(w.left.outputSet, w.right.outputSet)
    val bounds = extractor.extract(conjuncts)._1.filterNot(_.isEmpty)
    val threads = ScaleGateConf.cellThreads(SQLConf.get, SingleTask.cores)
    val parts = Seq(
      Some(s"window: last ${w.rows} rows by ${w.leftTime.sql}, ${w.rightTime.sql}"),
      Some(bounds.map(_.describe).mkString("bands: ", ", ", "")).filter(_ => bounds.nonEmpty),
      w.condition.map(c => s"residual: ${c.sql}"),
      Some(s"algorithm: ScaleJoin on $threads threads in one task")
    )
    RowWindowJoinExec(
      w.rows,
      asLong(w.leftTime) +: bounds.map(storedLeft),
      asLong(w.rightTime) +: bounds.map(storedRight),
      bounds.map(_.band),
      w.condition,
      threads,
      w.output,
      parts.flatten.mkString("; "),
      planLater(w.left),
      planLater(w.right)
    )
  }

  /** A time in 64 bits, in an order that is that of its own type. */
  private[this] def asLong(time: Expression): Expression = TermType.of(time.dataType) match {
    case Some(TermType.IntTerm) => Cast(time, LongType)
    case Some(TermType.DateTerm) => Cast(DateDiff(time, Literal(0, DateType)), LongType)
    case _ => time
  }

  /** More dimensions would make more copies of the right side than their selectivity is worth. */
  private[this] val MostDimensions = 2

  private[this] def exec(
      c: WindowJoinCandidate,
      probing: Probing,
      leftKeys: Seq[Expression],
      rightKeys: Seq[Expression],
      cells: Boolean,
      left: SparkPlan,
      right: SparkPlan
  ): SparkPlan = {
    val bounds = c.sweep +: c.bands
    WindowJoinExec(
      probing,
      leftKeys,
      rightKeys,
      bounds.map(storedLeft),
      bounds.map(storedRight),
      bounds.map(_.band),
      c.residual,
      cells,
      c.join.output,
      c.describe(if (cells) "sweep over sorted slices, no equality key"
      else "sweep over sorted inputs"),
      left,
      right
    )
  }

  private[plan] def storedLeft(d: BoundedDifference): Expression = stored(d.left, d.termType)

  private[plan] def storedRight(d: BoundedDifference): Expression = stored(d.right, d.termType)

  /** The attribute in the type that the core stores it in. */
  private[plan] def stored(e: Expression, t: TermType): Expression = {
    def as(target: DataType) = if (e.dataType == target) e else Cast(e, target)
    t match {
      case TermType.IntTerm => as(IntegerType)
      case TermType.LongTerm => as(LongType)
      case TermType.DoubleTerm => as(DoubleType)
      case _ => e
    }
  }
}

/** What the planner knows of one join. */
final class WindowJoinCandidate(val join: Join) extends PredicateHelper {
  private[this] val condition = join.condition.toSeq.flatMap(splitConjunctivePredicates)
  private[this] val requested = condition.exists(_.isInstanceOf[WindowJoinRequested])
  private[this] val bare = condition.filterNot(_.isInstanceOf[WindowJoinRequested])

  private[this] val (equiLeft, equiRight, others) = {
    val rest = bare.reduceOption(And.apply)
    ExtractEquiJoinKeys.unapply(join.copy(condition = rest)) match {
      case Some((_, l, r, other, _, _, _, _)) => (l, r, other.toSeq)
      case None => (Nil, Nil, rest.toSeq)
    }
  }

  private[this] val conjuncts = others.flatMap(splitConjunctivePredicates)

  val leftKeys: Seq[Expression] = equiLeft
  val rightKeys: Seq[Expression] = equiRight

  private[this] val extracted = new BoundExtractor(join.left.outputSet, join.right.outputSet)
    .extract(conjuncts)

  val differences: Seq[BoundedDifference] = extracted._1
  val residual: Option[Expression] = extracted._2.reduceOption(And.apply)

  /** The attribute that the window slides along: time, where there is one. */
  lazy val sweep: BoundedDifference =
    differences.minBy(d => TermType.sweepPreference.indexOf(d.termType))

  lazy val bands: Seq[BoundedDifference] = differences.filterNot(_ eq sweep)

  def plannable: Boolean = {
    val keysSortable = leftKeys.forall(k => RowOrdering.isOrderable(k.dataType))
    val hintFree = join.hint == JoinHint.NONE || requested
    isRun && !join.isStreaming && hintFree && keysSortable &&
    condition.forall(_.deterministic)
  }

  /** A hint or a marker that cannot be honoured is an error, not a slower plan. */
  def refuseWhatWasAskedFor(): Unit = {
    if (requested && join.isStreaming) throw Errors.hintStreaming
    if (requested && !isRun) throw Errors.hintJoinType(join.joinType.sql)
    if (requested && differences.isEmpty) {
      val refused = bare
        .flatMap(_.references)
        .filter(a => TermType.of(a.dataType).isEmpty)
        .map(a => s"${a.name} is ${a.dataType.sql}")
      throw Errors.hintWithoutWindow(bare.map(_.sql).mkString(" AND "), refused.distinct)
    }
  }

  private[this] def isRun: Boolean = Probing.of(join.joinType).nonEmpty

  /** What EXPLAIN shows. */
  def describe(algorithm: String): String = {
    val keys = leftKeys.zip(rightKeys).map { case (l, r) => s"${l.sql} = ${r.sql}" }
    val parts = Seq(
      if (keys.nonEmpty) Some(s"keys: ${keys.mkString(", ")}") else None,
      Some(s"window: ${sweep.describe}"),
      if (bands.isEmpty) None else Some(s"bands: ${bands.map(_.describe).mkString(", ")}"),
      residual.map(r => s"residual: ${r.sql}"),
      Some(s"algorithm: $algorithm")
    )
    parts.flatten.mkString("; ")
  }
}

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
import org.apache.spark.sql.catalyst.planning.ExtractEquiJoinKeys
import org.apache.spark.sql.catalyst.plans.logical.{Join, JoinHint, LogicalPlan}
import org.apache.spark.sql.execution.{LocalTableScanExec, SparkPlan, SparkStrategy}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{BinaryType, DateType, LongType}

import io.scalegate.join.Grid
import io.scalegate.spark.exec.{
  BroadcastWindowJoinExec,
  IndexBy,
  KeyBound,
  OverlapJoinExec,
  PackExec,
  Probing,
  RowWindowJoinExec,
  SliceExec,
  WindowJoinExec,
  WindowJoinOutputExec
}
import io.scalegate.spark.extract.{BoundExtractor, BoundedDifference, Overlap, TermType}
import io.scalegate.spark.{Errors, ScaleGateConf}
import io.scalegate.stream.Side

/** Plans joins whose condition bounds a difference between the two inputs. It keeps no state, since adaptive
  * execution asks again about a join whose inputs have run.
  *
  * A join that carries one of Spark's own hints is left to Spark, and so is every join with no bounded
  * difference: such a plan is exactly Spark's.
  */
object WindowJoinStrategy extends SparkStrategy with PredicateHelper {
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case WindowJoinHint(child, _) => planLater(child) :: Nil
    case w: RowWindowJoin => WindowJoinOutputExec(w.output, rowCounting(w)) :: Nil
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
    Probing.of(c.join.joinType).flatMap { probing =>
      if (c.differences.exists(_.isEmpty)) withoutMatches(c, probing)
      else if (c.differences.isEmpty && c.overlap.isEmpty) None
      else {
        val choice = AlgorithmChoice.of(c, probing, SQLConf.get)
        pairs(c, choice).map(WindowJoinOutputExec(c.join.output, _))
      }
    }

  private[this] def pairs(c: WindowJoinCandidate, choice: AlgorithmChoice): Option[SparkPlan] =
    choice.algorithm match {
      case Algorithm.Broadcast => Some(broadcast(c, choice))
      case Algorithm.Sweep if choice.probing.unfound || c.overlap.nonEmpty => None
      case _ if c.differences.nonEmpty =>
        Some(if (c.leftKeys.nonEmpty) keyed(c, choice) else keyless(c, choice))
      case _ => Some(overlapping(c, choice))
    }

  private[this] def withoutMatches(c: WindowJoinCandidate, probing: Probing): Option[SparkPlan] =
    if (probing.unmatched) None else Some(LocalTableScanExec(c.join.output, Nil, None))

  private[this] def keyed(c: WindowJoinCandidate, choice: AlgorithmChoice): SparkPlan =
    exec(
      c,
      choice,
      c.leftKeys,
      c.rightKeys,
      cells = false,
      planLater(c.join.left),
      planLater(c.join.right)
    )

  private[this] def broadcast(c: WindowJoinCandidate, choice: AlgorithmChoice): SparkPlan = {
    val terms = c.indexTerms
    val fromLeft = choice.probing.side eq Side.R
    val packed = PackExec(
      AttributeReference("__scalegate_rows", BinaryType, nullable = false)(),
      planLater(if (fromLeft) c.join.right else c.join.left)
    )
    BroadcastWindowJoinExec(
      choice.probing,
      if (fromLeft) c.join.right.output else c.join.left.output,
      terms.left,
      terms.right,
      terms.by,
      terms.residual,
      c.describe(s"index over the broadcast ${heldName(choice)} side (${choice.why})"),
      if (fromLeft) planLater(c.join.left) else packed,
      if (fromLeft) packed else planLater(c.join.right)
    )
  }

  private[this] def overlapping(c: WindowJoinCandidate, choice: AlgorithmChoice): SparkPlan = {
    val terms = c.indexTerms
    OverlapJoinExec(
      choice.probing,
      c.leftKeys,
      c.rightKeys,
      terms.left,
      terms.right,
      terms.by,
      terms.residual,
      c.describe(s"index over the ${heldName(choice)} side's partitions (${choice.why})"),
      planLater(c.join.left),
      planLater(c.join.right)
    )
  }

  private[this] def heldName(choice: AlgorithmChoice): String =
    if (choice.probing.side eq Side.R) "right" else "left"

  private[this] def keyless(c: WindowJoinCandidate, choice: AlgorithmChoice): SparkPlan = {
    val dimensions = if (c.bands.isEmpty) Seq(c.sweep) else c.bands.take(MostDimensions)
    val probing = choice.probing
    val grid = Grid(dimensions.map(_.band).toIndexedSeq, single = probing.side)
    def sliced(input: LogicalPlan, side: Side, attributes: Seq[Expression]) = {
      val cell = AttributeReference("__scalegate_cell", LongType, nullable = false)()
      val whole = probing.unmatched && (side eq probing.side)
      SliceExec(attributes, grid, side, whole, cell, planLater(input))
    }
    val left = sliced(c.join.left, Side.R, dimensions.map(_.storedLeft))
    val right = sliced(c.join.right, Side.S, dimensions.map(_.storedRight))
    exec(
      c,
      choice,
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
      asLong(w.leftTime) +: bounds.map(_.storedLeft),
      asLong(w.rightTime) +: bounds.map(_.storedRight),
      bounds.map(_.band),
      w.condition,
      threads,
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
      choice: AlgorithmChoice,
      leftKeys: Seq[Expression],
      rightKeys: Seq[Expression],
      cells: Boolean,
      left: SparkPlan,
      right: SparkPlan
  ): SparkPlan = {
    val bounds = c.sweep +: c.bands
    val indexed =
      if (choice.algorithm == Algorithm.Index) KeyBound.of(leftKeys, rightKeys) else None
    val algorithm =
      if (indexed.nonEmpty) s"index over the ${heldName(choice)} side's partitions"
      else if (cells) "sweep over sorted slices"
      else "sweep over sorted inputs"
    WindowJoinExec(
      choice.probing,
      leftKeys,
      rightKeys,
      bounds.map(_.storedLeft),
      bounds.map(_.storedRight),
      bounds.map(_.band),
      c.residual,
      indexed,
      cells,
      c.describe(s"$algorithm${if (cells) ", no equality key" else ""} (${choice.why})"),
      left,
      right
    )
  }
}

/** What both sides are to be asked for an index of one, and what is left of the condition. */
final case class IndexTerms(
    left: Seq[Expression],
    right: Seq[Expression],
    by: IndexBy,
    residual: Option[Expression]
)

/** What the planner knows of one join. */
final class WindowJoinCandidate(val join: Join) extends PredicateHelper {
  private[this] val condition = join.condition.toSeq.flatMap(splitConjunctivePredicates)
  private[this] val requests = condition.collect { case r: WindowJoinRequested => r }
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

  /** Of a join that has no bounded difference. */
  lazy val overlap: Option[Overlap] =
    if (differences.nonEmpty) None
    else Overlap.in(conjuncts, join.left.outputSet, join.right.outputSet)

  /** What an index of one side's rows is asked for. */
  def indexTerms: IndexTerms = {
    val key = if (leftKeys.isEmpty) None else KeyBound.of(leftKeys, rightKeys)
    val rest = (key.flatMap(_.residual) ++ residual).reduceOption(And.apply)
    def terms(left: Seq[Expression], right: Seq[Expression], by: IndexBy) =
      IndexTerms(key.map(_.left) ++: left, key.map(_.right) ++: right, by, rest)
    overlap match {
      case Some(o) =>
        val types = key.map(_.band.attribute) ++: Vector.fill(2)(o.termType.attribute)
        terms(o.left, o.right, IndexBy.Overlap(types))
      case None =>
        val bounds = sweep +: bands
        val all = key.map(_.band) ++: bounds.map(_.band).toVector
        terms(bounds.map(_.storedLeft), bounds.map(_.storedRight), IndexBy.Bands(all))
    }
  }

  /** The attribute that the window slides along: time, where there is one. */
  lazy val sweep: BoundedDifference =
    differences.minBy(d => TermType.sweepPreference.indexOf(d.termType))

  lazy val bands: Seq[BoundedDifference] = differences.filterNot(_ eq sweep)

  def plannable: Boolean = {
    val keysSortable = leftKeys.forall(k => RowOrdering.isOrderable(k.dataType))
    val hintFree = join.hint == JoinHint.NONE || requests.nonEmpty
    isRun && !join.isStreaming && hintFree && keysSortable &&
    condition.forall(_.deterministic)
  }

  /** The algorithm that a hint names. */
  def requested: Option[(Algorithm, String)] =
    requests.flatMap(_.algorithm).headOption.flatMap(Algorithm.named).map(_ -> "as hinted")

  /** Whether a hint asks for the join to be run here, however. */
  def isRequested: Boolean = requests.nonEmpty

  /** A hint or a marker that cannot be honoured is an error, not a slower plan. */
  def refuseWhatWasAskedFor(): Unit = {
    if (requests.nonEmpty && join.isStreaming) throw Errors.hintStreaming
    if (requests.nonEmpty && !isRun) throw Errors.hintJoinType(join.joinType.sql)
    if (requests.nonEmpty && differences.isEmpty && overlap.isEmpty) {
      val refused = bare
        .flatMap(_.references)
        .filter(a => TermType.of(a.dataType).isEmpty)
        .map(a => s"${a.name} is ${a.dataType.sql}")
      throw Errors.hintWithoutWindow(bare.map(_.sql).mkString(" AND "), refused.distinct)
    }
  }

  /** A full join is decided where the equality keys bring all matches of a row together. */
  private[this] def isRun: Boolean =
    Probing.of(join.joinType).exists(!_.unfound || leftKeys.nonEmpty)

  /** What EXPLAIN shows. */
  def describe(algorithm: String): String = {
    val keys = leftKeys.zip(rightKeys).map { case (l, r) => s"${l.sql} = ${r.sql}" }
    val parts = Seq(
      if (keys.nonEmpty) Some(s"keys: ${keys.mkString(", ")}") else None,
      Some(s"window: ${overlap.fold(sweep.describe)(_.describe)}"),
      if (overlap.nonEmpty || bands.isEmpty) None
      else Some(s"bands: ${bands.map(_.describe).mkString(", ")}"),
      residual.map(r => s"residual: ${r.sql}"),
      Some(s"algorithm: $algorithm")
    )
    parts.flatten.mkString("; ")
  }
}

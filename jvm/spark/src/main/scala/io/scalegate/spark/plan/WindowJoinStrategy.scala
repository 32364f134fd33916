package io.scalegate.spark.plan

import org.apache.spark.sql.catalyst.expressions.{
  And,
  AttributeReference,
  EqualTo,
  Expression,
  PredicateHelper
}
import org.apache.spark.sql.catalyst.plans.logical.{Join, LogicalPlan}
import org.apache.spark.sql.catalyst.plans.physical.HashPartitioning
import org.apache.spark.sql.execution.exchange.{REPARTITION_BY_NUM, ShuffleExchangeExec}
import org.apache.spark.sql.execution.{LocalTableScanExec, SparkPlan, SparkStrategy}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.BinaryType

import io.scalegate.join.Grid
import io.scalegate.spark.exec.{
  BroadcastWindowJoinExec,
  IndexJoinExec,
  KeyBound,
  PackExec,
  Probing,
  SliceBy,
  SliceExec,
  WindowJoinExec,
  WindowJoinNode
}
import io.scalegate.spark.{Errors, ScaleGateConf}
import io.scalegate.stream.Side

/** Plans joins whose condition bounds a difference between the two inputs. It keeps no state, since adaptive
  * execution asks again about a join whose inputs have run.
  *
  * A join that carries one of Spark's own hints is left to Spark, and so is every join with no bounded
  * difference that our hint does not ask for: such a plan is exactly Spark's.
  */
object WindowJoinStrategy extends SparkStrategy with PredicateHelper {
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case WindowJoinHint(child, _) => planLater(child) :: Nil
    case w: RowWindowJoin => RowWindowPlan(w)(planLater).rows(w.output) :: Nil
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

  /** Whether a join is run here and finds anything, as far as its inputs are known. */
  def runs(join: Join): Boolean = {
    val c = new WindowJoinCandidate(join)
    c.plannable && !isEmpty(c) && Probing.of(join.joinType).flatMap(choice(c, _)).nonEmpty
  }

  private[this] def planned(c: WindowJoinCandidate): Option[SparkPlan] =
    Probing.of(c.join.joinType).flatMap { probing =>
      if (isEmpty(c)) withoutMatches(c, probing)
      else choice(c, probing).map(pairs(c, _).rows(c.join.output))
    }

  private[this] def isEmpty(c: WindowJoinCandidate): Boolean = c.differences.exists(_.isEmpty)

  /** None for a join that is left to Spark. */
  private[this] def choice(c: WindowJoinCandidate, probing: Probing): Option[AlgorithmChoice] = {
    val conf = SQLConf.get
    val ours = c.isRequested || c.isBounded && LeftToSpark.reason(c, conf).isEmpty
    if (ours) AlgorithmChoice.of(c, probing, conf) else None
  }

  private[this] def pairs(c: WindowJoinCandidate, choice: AlgorithmChoice): WindowJoinNode =
    choice.algorithm match {
      case Algorithm.Broadcast => broadcast(c, choice)
      case Algorithm.Matrix => matrix(c, choice)
      case _ if c.differences.isEmpty => overlapping(c, choice)
      case _ => if (c.leftKeys.nonEmpty) keyed(c, choice) else keyless(c, choice)
    }

  private[this] def withoutMatches(c: WindowJoinCandidate, probing: Probing): Option[SparkPlan] =
    if (probing.unmatched) None else Some(LocalTableScanExec(c.join.output, Nil, None))

  private[this] def keyed(c: WindowJoinCandidate, choice: AlgorithmChoice): WindowJoinNode =
    skewed(c, choice) match {
      case Some(keys) => keyedInSlices(c, choice, keys)
      case None =>
        val (left, right) = (planLater(c.join.left), planLater(c.join.right))
        exec(c, choice, c.leftKeys, c.rightKeys, left, right, cells = None)
    }

  /** A full join's rows are decided where all of their matches are. An input that lies by its keys is left where it
    * lies: to cut a key costs an exchange of it, and of what comes after the join.
    */
  private[this] def skewed(c: WindowJoinCandidate, choice: AlgorithmChoice): Option[SkewedKeys] =
    if (choice.probing.unfound || c.key.isEmpty || liesByKeys(c)) None
    else
      for {
        sample <- JoinSample.of(c, SQLConf.get)
        keys <- SkewedKeys.of(c, sample, choice.probing.side, SQLConf.get.numShufflePartitions)
      } yield keys

  private[this] def liesByKeys(c: WindowJoinCandidate): Boolean =
    KeyLayout.isBy(c.join.left, c.leftKeys) || KeyLayout.isBy(c.join.right, c.rightKeys)

  private[this] def keyedInSlices(
      c: WindowJoinCandidate,
      choice: AlgorithmChoice,
      keys: SkewedKeys
  ): WindowJoinNode = {
    val key = c.key.get
    val by = SliceBy.Keys(keys.slices, Vector(key.band, c.sweep.band).map(_.attribute))
    val (left, right) =
      (Seq(key.left, c.sweep.storedLeft), Seq(key.right, c.sweep.storedRight))
    inCells(c, choice, by, left, right, keys.describe)
  }

  private[this] def broadcast(c: WindowJoinCandidate, choice: AlgorithmChoice): WindowJoinNode = {
    val terms = c.indexTerms
    val fromLeft = choice.probing.side eq Side.R
    val packed = PackExec(
      AttributeReference("rows", BinaryType, nullable = false)(),
      planLater(if (fromLeft) c.join.right else c.join.left)
    )
    BroadcastWindowJoinExec(
      choice.probing,
      if (fromLeft) c.join.right.output else c.join.left.output,
      terms.left,
      terms.right,
      terms.by,
      terms.residual,
      c.describe(s"index over the broadcast ${choice.probing.heldName} side (${choice.why})"),
      if (fromLeft) planLater(c.join.left) else packed,
      if (fromLeft) packed else planLater(c.join.right)
    )
  }

  private[this] def overlapping(
      c: WindowJoinCandidate,
      choice: AlgorithmChoice
  ): WindowJoinNode = {
    val (left, right) = (planLater(c.join.left), planLater(c.join.right))
    indexed(c, choice, c.leftKeys, c.rightKeys, c.indexTerms, left, right, matrix = None)
  }

  private[this] def keyless(c: WindowJoinCandidate, choice: AlgorithmChoice): WindowJoinNode = {
    val dimensions = GridDimensions.of(c, SQLConf.get)
    val grid = Grid(dimensions.map(_.band).toIndexedSeq, single = choice.probing.side)
    inCells(
      c,
      choice,
      SliceBy.Cells(grid),
      dimensions.map(_.storedLeft),
      dimensions.map(_.storedRight),
      "no equality key"
    )
  }

  /** Both inputs' rows meet in cells.
    *
    * @param left
    *   the attributes of the left input that decide a row's cells; `right` likewise
    */
  private[this] def inCells(
      c: WindowJoinCandidate,
      choice: AlgorithmChoice,
      by: SliceBy,
      left: Seq[Expression],
      right: Seq[Expression],
      what: String
  ): WindowJoinNode = {
    val l = SliceExec(planLater(c.join.left), Side.R, choice.probing, by, left)
    val r = SliceExec(planLater(c.join.right), Side.S, choice.probing, by, right)
    exec(c, choice, Seq(l.output.last), Seq(r.output.last), l, r, Some(what))
  }

  /** Both inputs' rows meet in the cells of a matrix, each of which is a task. */
  private[this] def matrix(c: WindowJoinCandidate, choice: AlgorithmChoice): WindowJoinNode = {
    val matrix = MatrixChoice.of(c, choice.probing, SQLConf.get)
    val by = SliceBy.Matrix.of(matrix.layout)
    // Cells are alike in work, not in bytes: adaptive execution must not merge them, so the exchange is not its own.
    def dealt(input: LogicalPlan, side: Side) = {
      val slices = SliceExec(planLater(input), side, matrix.probing, by, Nil)
      val cells = HashPartitioning(Seq(slices.cell), matrix.layout.workers)
      ShuffleExchangeExec(cells, slices, REPARTITION_BY_NUM)
    }
    val chosen = choice.copy(probing = matrix.probing)
    val (l, r) = (dealt(c.join.left, Side.R), dealt(c.join.right, Side.S))
    val (leftCell, rightCell) = (l.output.last, r.output.last)
    if (c.differences.isEmpty) {
      val terms = c.indexTermsInCells(leftCell, rightCell)
      indexed(c, chosen, Seq(leftCell), Seq(rightCell), terms, l, r, Some(matrix))
    } else {
      val (cells, workers) = (Some(matrix.describe), Some(matrix.layout.workers))
      exec(c, chosen, Seq(leftCell), Seq(rightCell), l, r, cells, workers)
    }
  }

  /** Each task indexes its rows of the side that does not probe. */
  private[this] def indexed(
      c: WindowJoinCandidate,
      choice: AlgorithmChoice,
      leftKeys: Seq[Expression],
      rightKeys: Seq[Expression],
      terms: IndexTerms,
      left: SparkPlan,
      right: SparkPlan,
      matrix: Option[MatrixChoice]
  ): WindowJoinNode = {
    val same = leftKeys.zip(rightKeys).map { case (l, r) => EqualTo(l, r) }
    val how = if (c.isBounded) "index" else "all pairs"
    val cells = matrix.fold("")(m => s", ${m.describe}")
    IndexJoinExec(
      choice.probing,
      leftKeys,
      rightKeys,
      matrix.map(_.layout.workers),
      terms.left,
      terms.right,
      terms.by,
      terms.residual,
      (same ++ c.condition).reduce(And.apply),
      c.describe(
        s"$how over the ${choice.probing.heldName} side's partitions$cells (${choice.why})"
      ),
      left,
      right
    )
  }

  /** @param cells
    *   what they are made of, if the keys are cells: then equality keys are bounds like any other
    * @param partitions
    *   that both inputs come in, if it is not for Spark to say how many
    */
  private[this] def exec(
      c: WindowJoinCandidate,
      choice: AlgorithmChoice,
      leftKeys: Seq[Expression],
      rightKeys: Seq[Expression],
      left: SparkPlan,
      right: SparkPlan,
      cells: Option[String],
      partitions: Option[Int] = None
  ): WindowJoinNode = {
    val key = c.key.filter(_ => cells.nonEmpty)
    val indexed =
      if (choice.algorithm == Algorithm.Sweep) None else KeyBound.of(leftKeys, rightKeys)
    val algorithm =
      if (indexed.nonEmpty) s"index over the ${choice.probing.heldName} side's partitions"
      else if (cells.nonEmpty) "sweep over sorted slices"
      else "sweep over sorted inputs"
    WindowJoinExec(
      choice.probing,
      leftKeys,
      rightKeys,
      c.sweep.storedLeft +: (key.map(_.left) ++: c.bands.map(_.storedLeft)),
      c.sweep.storedRight +: (key.map(_.right) ++: c.bands.map(_.storedRight)),
      c.sweep.band +: (key.map(_.band) ++: c.bands.map(_.band)),
      (key.flatMap(_.residual) ++ c.residual).reduceOption(And.apply),
      indexed.map(_.band),
      indexed.toSeq.flatMap(k => Seq(k.left, k.right)),
      indexed.flatMap(_.residual),
      cells.nonEmpty,
      partitions,
      c.describe(s"$algorithm${cells.fold("")(", " + _)} (${choice.why})"),
      left,
      right
    )
  }
}

package io.scalegate.spark.join.plan

import org.apache.spark.sql.catalyst.expressions.{And, EqualTo, PredicateHelper}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, Join, LeafNode, LogicalPlan, Project}
import org.apache.spark.sql.catalyst.plans.physical.HashPartitioning
import org.apache.spark.sql.execution.exchange.{REPARTITION_BY_NUM, ShuffleExchangeExec}
import org.apache.spark.sql.execution.{LocalTableScanExec, SparkPlan, SparkStrategy}
import org.apache.spark.sql.internal.SQLConf

import io.scalegate.spark.join.asof.{AsOfJoin, AsOfPlan}
import io.scalegate.spark.join.batch.{LocalJoin, SliceBy, SliceExec, WindowJoinExec}
import io.scalegate.spark.join.hint.{LateralRows, WindowJoinHint}
import io.scalegate.spark.join.lookup.BroadcastSide
import io.scalegate.spark.join.operator.{
  OperatorJoinExec,
  OperatorSelfJoinExec,
  SelfJoinTask,
  SelfJoinTerms
}
import io.scalegate.spark.join.rowcount.{RowWindowJoin, RowWindowPlan}
import io.scalegate.spark.join.{
  IndexTerms,
  JoinKeys,
  KeyBound,
  Probing,
  WholeInputMarker,
  WindowJoinNode
}
import io.scalegate.spark.settings.{Algorithm, Cores, NamedOperator, ScaleGateConf}
import io.scalegate.stream.Sides

/** Plans joins whose condition bounds a difference between the two inputs. It keeps no state, since adaptive
  * execution asks again about a join whose inputs have run.
  *
  * A join that carries one of Spark's own hints is left to Spark, and so is every join with no bounded
  * difference that our hint does not ask for: such a plan is exactly Spark's.
  */
object WindowJoinStrategy extends SparkStrategy with PredicateHelper {
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case WindowJoinHint(child, _) => planLater(child) :: Nil
    case LateralRows(child) => planLater(child) :: Nil
    case w: RowWindowJoin => RowWindowPlan(w)(planLater).rows(w.output) :: Nil
    case a: AsOfJoin if !a.isOfStreams => AsOfPlan(a)(planLater).rows(a.output) :: Nil
    case join: Join if ScaleGateConf.enabled(SQLConf.get) =>
      val candidate = new WindowJoinCandidate(join)
      refuseMarkers(join)
      candidate.refuseWhatWasAskedFor()
      if (candidate.plannable) planned(candidate).toSeq else Nil
    case other => refuseMarkers(other)
  }

  /** What holds of whole inputs, and is still a predicate, stands where it cannot be run. Spark plans filters and
    * projections together with a table that they read.
    */
  private[this] def refuseMarkers(plan: LogicalPlan): Seq[SparkPlan] = {
    val chain =
      Iterator.iterate(Option(plan))(_.flatMap(readBy)).takeWhile(_.nonEmpty).flatten.toSeq
    val together = if (chain.last.isInstanceOf[LeafNode]) chain else Seq(plan)
    together.foreach(_.expressions.foreach(_.foreach {
      case m: WholeInputMarker => throw m.misplaced
      case _ => ()
    }))
    Nil
  }

  private[this] def readBy(plan: LogicalPlan): Option[LogicalPlan] = plan match {
    case Project(_, child) => Some(child)
    case Filter(_, child) => Some(child)
    case _ => None
  }

  /** Whether a join is run here and finds anything, as far as its inputs are known. */
  def runs(join: Join): Boolean = {
    val c = new WindowJoinCandidate(join)
    c.plannable && !isEmpty(c) && Probing.from(join.joinType).flatMap(choice(c, _)).nonEmpty
  }

  private[this] def planned(c: WindowJoinCandidate): Option[SparkPlan] =
    Probing.from(c.join.joinType).flatMap { probing =>
      if (isEmpty(c)) withoutMatches(c, probing)
      else choice(c, probing).map(pairs(c, _).rows(c.join.output))
    }

  private[this] def isEmpty(c: WindowJoinCandidate): Boolean = c.differences.exists(_.isEmpty)

  /** None for a join that is left to Spark. */
  private[this] def choice(c: WindowJoinCandidate, probing: Probing): Option[AlgorithmChoice] = {
    val conf = SQLConf.get
    val ours = c.isRequested || c.isBounded && LeftToSpark.reason(c, conf).isEmpty
    if (ours) AlgorithmChoice.forJoin(c, probing, conf) else None
  }

  private[this] def pairs(c: WindowJoinCandidate, choice: AlgorithmChoice): WindowJoinNode =
    choice.algorithm match {
      case Algorithm.Broadcast => broadcast(c, choice)
      case Algorithm.Matrix => matrix(c, choice)
      case operator: NamedOperator => operated(c, choice, operator)
      case _ if c.differences.isEmpty => overlapping(c, choice)
      case _ => swept(c, choice)
    }

  private[this] def withoutMatches(c: WindowJoinCandidate, probing: Probing): Option[SparkPlan] =
    if (probing.unmatched) None else Some(LocalTableScanExec(c.join.output, Nil, None))

  private[this] def broadcast(c: WindowJoinCandidate, choice: AlgorithmChoice): WindowJoinNode = {
    val side = choice.probing.side
    val held = c.inputs(side.opposite)
    val broadcast = BroadcastSide(held, c.inputs(side))(planLater)
    val inputs = Sides.bySide(side, planLater(c.inputs(side)), broadcast.packed)
    WindowJoinExec(
      choice.probing,
      LocalJoin.Broadcast(held.output, c.indexTerms, broadcast.kept),
      c.describe(s"index over the broadcast ${choice.probing.heldName} side (${choice.why})"),
      inputs.left,
      inputs.right
    )
  }

  /** Rows meet by the keys, or in one task. */
  private[this] def operated(
      c: WindowJoinCandidate,
      choice: AlgorithmChoice,
      asked: NamedOperator
  ): WindowJoinNode = {
    val keyed = c.leftKeys.nonEmpty
    val operator =
      asked.onThreads(ScaleGateConf.cellThreads(SQLConf.get, if (keyed) 1 else Cores.ofOneTask))
    val where = if (keyed) "in each partition" else "in one task"
    val keys = JoinKeys(c.leftKeys, c.rightKeys)
    def described(over: String) = c.describe(s"${operator.describe}$over $where (${choice.why})")
    selfJoin(c, choice, operator, keys) match {
      case Some(terms) =>
        val input = planLater(c.inputs(terms.side))
        OperatorSelfJoinExec(operator, terms, described(" over one input"), input)
      case None =>
        val planned = inputs(c)
        OperatorJoinExec(
          Probing.from(c.join.joinType).get,
          operator,
          keys,
          c.operatorWindow.get,
          c.operatorTerms,
          described(""),
          planned.left,
          planned.right
        )
    }
  }

  /** Of a join of an input with itself, by an operator that can keep one window of it. */
  private[this] def selfJoin(
      c: WindowJoinCandidate,
      choice: AlgorithmChoice,
      operator: NamedOperator,
      keys: JoinKeys
  ): Option[SelfJoinTerms] =
    if (!choice.probing.isInner || !SelfJoinTask.mayRun(operator)) None
    else SelfJoinTerms.from(c.inputs, keys, c.operatorWindow.get, c.operatorTerms, c.condition)

  private[this] def overlapping(
      c: WindowJoinCandidate,
      choice: AlgorithmChoice
  ): WindowJoinNode =
    indexed(c, choice, JoinKeys(c.leftKeys, c.rightKeys), c.indexTerms, inputs(c), where = None)

  /** Rows meet by the keys, or in cells. */
  private[this] def swept(c: WindowJoinCandidate, choice: AlgorithmChoice): WindowJoinNode =
    JoinCells.forJoin(c, choice.probing) match {
      case None =>
        exec(c, choice, JoinKeys(c.leftKeys, c.rightKeys), inputs(c), cells = None)
      case Some(cells) =>
        val slices = Sides.each { side =>
          SliceExec(
            planLater(c.inputs(side)),
            side,
            choice.probing,
            cells.by,
            cells.attributes(side)
          )
        }
        exec(c, choice, cellsOf(slices), slices, Some(cells.describe))
    }

  private[this] def inputs(c: WindowJoinCandidate): Sides[SparkPlan] =
    c.inputs.map(planLater)

  /** The last columns as the keys of a join. */
  private[this] def cellsOf(
      inputs: Sides[SparkPlan],
      partitions: Option[Int] = None
  ): JoinKeys = {
    val ids = inputs.map(input => Seq(input.output.last))
    JoinKeys(ids.left, ids.right, Some(JoinKeys.Cells(partitions)))
  }

  /** Both inputs' rows meet in the cells of a matrix, each of which is a task; or, if they are intervals and that takes
    * less, in the parts of a line.
    */
  private[this] def matrix(c: WindowJoinCandidate, choice: AlgorithmChoice): WindowJoinNode = {
    val matrix = MatrixChoice.forJoin(c, choice.probing, SQLConf.get)
    DomainChoice.forJoin(c, matrix, SQLConf.get) match {
      case Some(domain) => inParts(c, choice.copy(probing = matrix.probing), domain)
      case None => inMatrix(c, choice, matrix)
    }
  }

  /** Intervals meet in the parts of the line that both reach. */
  private[this] def inParts(
      c: WindowJoinCandidate,
      choice: AlgorithmChoice,
      domain: DomainChoice
  ): WindowJoinNode = {
    val inputs = Sides.each[SparkPlan] { side =>
      SliceExec(
        planLater(c.inputs(side)),
        side,
        choice.probing,
        domain.by,
        domain.attributes(side)
      )
    }
    val keys = cellsOf(inputs)
    val terms = c.indexTermsInCells(keys.left.head, keys.right.head)
    val once = domain.once(keys.left.head)
    val inCells = terms.copy(residual = (terms.residual ++ once).reduceOption(And.apply))
    indexed(c, choice, keys, inCells, inputs, Some(domain.describe))
  }

  private[this] def inMatrix(
      c: WindowJoinCandidate,
      choice: AlgorithmChoice,
      matrix: MatrixChoice
  ): WindowJoinNode = {
    val by = SliceBy.Matrix.from(matrix.layout)
    // Cells are alike in work, not in bytes: adaptive execution must not merge them, so the exchange is not its own.
    val inputs = Sides.each[SparkPlan] { side =>
      val slices = SliceExec(planLater(c.inputs(side)), side, matrix.probing, by, Nil)
      val cells = HashPartitioning(Seq(slices.cell), matrix.layout.workers)
      ShuffleExchangeExec(cells, slices, REPARTITION_BY_NUM)
    }
    val chosen = choice.copy(probing = matrix.probing)
    val keys = cellsOf(inputs, Some(matrix.layout.workers))
    if (c.differences.isEmpty) {
      val terms = c.indexTermsInCells(keys.left.head, keys.right.head)
      indexed(c, chosen, keys, terms, inputs, Some(matrix.describe))
    } else exec(c, chosen, keys, inputs, Some(matrix.describe))
  }

  /** Each task indexes its rows of the side that does not probe. */
  private[this] def indexed(
      c: WindowJoinCandidate,
      choice: AlgorithmChoice,
      keys: JoinKeys,
      terms: IndexTerms,
      inputs: Sides[SparkPlan],
      where: Option[String]
  ): WindowJoinNode = {
    val same = keys.left.zip(keys.right).map { case (l, r) => EqualTo(l, r) }
    val how = if (c.isBounded) "index" else "all pairs"
    val cells = where.fold("")(", " + _)
    WindowJoinExec(
      choice.probing,
      LocalJoin.IndexOrBlocks(keys, terms, (same ++ c.condition).reduce(And.apply)),
      c.describe(
        s"$how over the ${choice.probing.heldName} side's partitions$cells (${choice.why})"
      ),
      inputs.left,
      inputs.right
    )
  }

  /** @param cells
    *   what they are made of, if the keys are cells
    */
  private[this] def exec(
      c: WindowJoinCandidate,
      choice: AlgorithmChoice,
      keys: JoinKeys,
      inputs: Sides[SparkPlan],
      cells: Option[String]
  ): WindowJoinNode = {
    val terms = c.sweepTerms(inCells = cells.nonEmpty)
    val indexed =
      if (choice.algorithm == Algorithm.Sweep) None else KeyBound.from(keys.left, keys.right)
    val algorithm =
      if (indexed.nonEmpty) s"index over the ${choice.probing.heldName} side's partitions"
      else if (cells.nonEmpty) "sweep over sorted slices"
      else "sweep over sorted inputs"
    WindowJoinExec(
      choice.probing,
      indexed.fold[LocalJoin](LocalJoin.Sweep(keys, terms))(LocalJoin.IndexOrSweep(
        keys,
        terms,
        _
      )),
      c.describe(s"$algorithm${cells.fold("")(", " + _)} (${choice.why})"),
      inputs.left,
      inputs.right
    )
  }
}

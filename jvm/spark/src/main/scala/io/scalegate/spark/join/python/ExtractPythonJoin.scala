package io.scalegate.spark.join.python

import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  And,
  Expression,
  NamedExpression,
  PredicateHelper
}
import org.apache.spark.sql.catalyst.plans.logical.{
  Aggregate,
  Deduplicate,
  DeduplicateWithinWatermark,
  Distinct,
  Filter,
  GlobalLimit,
  Join,
  JoinHint,
  LogicalPlan,
  Project,
  UnaryNode,
  Union
}
import org.apache.spark.sql.catalyst.plans.{
  FullOuter,
  InnerLike,
  LeftAnti,
  LeftOuter,
  LeftSemi,
  RightOuter
}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.scalegate.RealTimeMode

import io.scalegate.spark.join.PythonCondition
import io.scalegate.spark.join.asof.AsOf
import io.scalegate.spark.join.hint.{OuterColumn, SideHint}
import io.scalegate.spark.join.plan.{SimplifiedJoin, WindowJoinCandidate}
import io.scalegate.spark.join.rowcount.WithinRows
import io.scalegate.spark.plan.BothStreaming
import io.scalegate.spark.settings.{Errors, ScaleGateConf}

/** Takes joins whose condition calls a function in Python out of Spark's hands, where this package runs them. The rule
  * runs when a plan is normalized, before those that make nodes of joins over windows of rows and of as-of joins.
  *
  *   - A function of one input's columns, in the condition of such a node, is computed as a column of that input.
  *   - A function of both inputs' columns is a filter of an inner join's rows, which Spark makes of it itself where the
  *     join is Spark's; of others a [[PythonJoin]].
  */
object ExtractPythonJoin extends Rule[LogicalPlan] with PredicateHelper {
  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!ScaleGateConf.enabled(conf)) plan
    else
      plan.transformUpWithSubqueries {
        case join: Join if join.resolved && join.condition.exists(PythonCondition.isIn) =>
          val computed = if (isOwn(join)) withColumns(join) else join
          PythonCondition.of(computed).fold[LogicalPlan](joined(computed, join))(c =>
            joined(node(computed, c), join)
          )
      }

  /** An inner join's rows, filtered by what is Python, if it is one over windows of time or rows. */
  def filtered(join: Join): Option[LogicalPlan] = join.joinType match {
    case _: InnerLike if !join.condition.exists(AsOf.isIn) =>
      PythonCondition.of(join).map { c =>
        val pairs = join.copy(condition = c.candidates.reduceOption(And.apply))
        Filter(c.python.reduce(And.apply), pairs)
      }
    case _ => None
  }

  private[this] def node(join: Join, condition: PythonCondition): LogicalPlan = {
    val candidates = join.copy(condition = condition.candidates.reduceOption(And.apply))
    if (
      OuterColumn.in(join).nonEmpty || !isDecided(join) || !isOwn(join) && !isRunnable(candidates)
    ) join
    else
      join.joinType match {
        case _: InnerLike if !join.condition.exists(AsOf.isIn) =>
          if (isOwn(join)) filtered(join).get else join
        case _ if join.isStreaming && !isBesideTable(join) =>
          throw Errors.pythonStream(condition.python.head.sql)
        case other =>
          val (left, ofLeft) = SideHint.takenFrom(join.left)
          val (right, ofRight) = SideHint.takenFrom(join.right)
          val hint = JoinHint(
            join.hint.leftHint.orElse(ofLeft),
            join.hint.rightHint.orElse(ofRight)
          )
          PythonJoin(left, right, other, join.condition, hint)
      }
  }

  /** Whether its type and its markers are such that a join of candidates and one of their rows give what it gives. What is
    * none is left to the rules that refuse it with what to write.
    */
  private[this] def isDecided(join: Join): Boolean = {
    val conjuncts = join.condition.toSeq.flatMap(splitConjunctivePredicates)
    val (markers, others) = conjuncts.partition(_.isInstanceOf[AsOf])
    val isAsOf = markers.nonEmpty
    markers.size < 2 && !others.exists(AsOf.isIn) && (join.joinType match {
      case _: InnerLike | LeftOuter | LeftSemi | LeftAnti => true
      case RightOuter | FullOuter => !isAsOf
      case _ => false
    })
  }

  private[this] def joined(made: LogicalPlan, join: Join): LogicalPlan =
    if (made.output == join.output) made else Project(join.output, made)

  /** Whether the condition says itself that the join is one of this package's nodes. */
  private[this] def isOwn(join: Join): Boolean =
    WithinRows.find(join.condition).nonEmpty || join.condition.exists(AsOf.isIn)

  private[this] def isRunnable(candidates: Join): Boolean = {
    val c = new WindowJoinCandidate(SimplifiedJoin(candidates))
    c.isRequested || c.isBounded
  }

  /** Whether each batch of a stream has its answer from a table when it has been read. The batch is in the plan twice, as
    * an operator with a state cannot be.
    */
  private[this] def isBesideTable(join: Join): Boolean =
    !RealTimeMode.isIn(join) && !join.children.exists(_.exists(hasState)) && {
      if (join.joinType == RightOuter) !join.left.isStreaming
      else join.joinType != FullOuter && !join.right.isStreaming
    }

  private[this] def hasState(plan: LogicalPlan): Boolean = plan.isStreaming && (plan match {
    case _: Aggregate | _: Distinct | _: Deduplicate | _: DeduplicateWithinWatermark |
        _: GlobalLimit =>
      true
    case _: Union => false
    case unary: UnaryNode => unary.nodeName.contains("State")
    case other => other.children.size > 1 && other.children.forall(_.isStreaming)
  })

  /** The join with each function of one input's columns as a column of that input. */
  private[this] def withColumns(join: Join): Join =
    if (BothStreaming(join.left, join.right)) join
    else {
      val calls = join.condition.get.collect { case e if PythonCondition.isPython(e) => e }
      def made(input: LogicalPlan): Seq[Alias] =
        calls.filter(e => e.deterministic && e.references.subsetOf(input.outputSet)).distinct
          .map(Alias(_, "__scalegate_python")())
      def beside(input: LogicalPlan, columns: Seq[NamedExpression]) =
        if (columns.isEmpty) input else Project(input.output ++ columns, input)
      val (ofLeft, ofRight) = (made(join.left), made(join.right))
      join.copy(
        left = beside(join.left, ofLeft),
        right = beside(join.right, ofRight),
        condition = join.condition.map(_.transformDown {
          case e: Expression if PythonCondition.isPython(e) =>
            (ofLeft ++ ofRight).find(_.child == e).fold(e)(_.toAttribute)
        })
      )
    }
}

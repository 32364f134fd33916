package io.scalegate.spark.plan

import org.apache.spark.sql.catalyst.expressions.{And, Expression, PredicateHelper}
import org.apache.spark.sql.catalyst.optimizer.{
  ConstantFolding,
  ReplaceExpressions,
  RewriteWithExpression,
  SimplifyCasts
}
import org.apache.spark.sql.catalyst.plans.JoinType
import org.apache.spark.sql.catalyst.plans.logical.{
  Aggregate,
  Deduplicate,
  DeduplicateWithinWatermark,
  Distinct,
  FlatMapGroupsWithState,
  Join,
  JoinHint,
  LogicalPlan,
  TransformWithState
}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.streaming.WriteToStreamStatement
import org.apache.spark.sql.internal.SQLConf

import io.scalegate.spark.exec.Probing
import io.scalegate.spark.{Errors, ScaleGateConf}

/** A join of two streams that this package runs. A node of its own and no Join: Spark plans the joins of streams before
  * it asks anybody else.
  */
final case class StreamingWindowJoin(
    left: LogicalPlan,
    right: LogicalPlan,
    joinType: JoinType,
    condition: Option[Expression]
) extends JoinNode {
  def join: Join = Join(left, right, joinType, condition, JoinHint.NONE)

  override protected def over(l: LogicalPlan, r: LogicalPlan): StreamingWindowJoin =
    copy(left = l, right = r)
}

/** A join of two streams while Spark looks a query over that is about to start: Spark refuses types of joins and spellings
  * of bounds that this package runs. It is a Join again when the optimizer sees it.
  */
final case class CheckedStreamingJoin(
    left: LogicalPlan,
    right: LogicalPlan,
    joinType: JoinType,
    condition: Option[Expression],
    hint: JoinHint
) extends JoinNode {
  def join: Join = Join(left, right, joinType, condition, hint)

  override protected def over(l: LogicalPlan, r: LogicalPlan): CheckedStreamingJoin =
    copy(left = l, right = r)
}

/** Which joins of two streams are run here. Those that have equality keys, and that Spark runs therefore, are left to
  * it where their state would not be bounded; those without are refused then.
  */
private[plan] object StreamingJoins extends PredicateHelper {

  /** None for a join that is left to Spark.
    *
    * @throws IllegalArgumentException
    *   for one that can be run neither here nor there
    */
  def candidate(join: Join): Option[StreamingJoinCandidate] =
    if (!join.left.isStreaming || !join.right.isStreaming) None
    else {
      val (windows, others) = join.condition.toSeq
        .flatMap(splitConjunctivePredicates)
        .partition(_.isInstanceOf[WithinRows])
      val c = new StreamingJoinCandidate(
        new WindowJoinCandidate(join.copy(condition = others.reduceOption(And.apply))),
        windows.collectFirst { case w: WithinRows => w }
      )
      if (c.of.isRequested) c.refuseAlgorithm()
      if (c.isRunnable) Some(c)
      else if (c.isSparks) None
      else throw c.refusal
    }

  /** The join with its condition in the form that the optimizer gives it. */
  def simplified(join: Join): Join =
    ConstantFolding(SimplifyCasts(RewriteWithExpression(ReplaceExpressions(join))))
      .collectFirst { case j: Join => j }
      .getOrElse(join)
}

/** Hides the joins of streams from Spark's check of a query that is about to start. */
object HideStreamingJoins extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case w: WriteToStreamStatement if ScaleGateConf.enabled(conf) =>
      val hidden = hide(w)
      if (!conf.getConf(SQLConf.STATEFUL_OPERATOR_ALLOW_MULTIPLE)) refuseChain(hidden.inputQuery)
      hidden
    case other => other
  }

  private[this] def hide(w: WriteToStreamStatement): WriteToStreamStatement =
    w.copy(inputQuery = w.inputQuery.transformUp {
      case j: Join if j.left.isStreaming && j.right.isStreaming && isDecided(j) =>
        StreamingJoins.candidate(StreamingJoins.simplified(j)).fold[LogicalPlan](j) { c =>
          c.refuseMode(w.outputMode)
          CheckedStreamingJoin(j.left, j.right, j.joinType, j.condition, j.hint)
        }
    })

  /** Where all operators go by one watermark, rows that one of them gives late are too late for the next. Spark refuses
    * that for the joins that it sees.
    */
  private[this] def refuseChain(query: LogicalPlan): Unit = {
    val operators = query.collect { case p if p.isStreaming && isTimed(p) => p }
    if (operators.size > 1 && operators.exists(_.isInstanceOf[CheckedStreamingJoin]))
      throw Errors.streamOneWatermark
  }

  private[this] def isTimed(plan: LogicalPlan): Boolean = plan match {
    case j: Join => j.left.isStreaming && j.right.isStreaming
    case _: CheckedStreamingJoin | _: Aggregate | _: Distinct | _: Deduplicate |
        _: DeduplicateWithinWatermark | _: FlatMapGroupsWithState | _: TransformWithState =>
      true
    case _ => false
  }

  /** The condition of others may stand in a filter above them still. */
  private[this] def isDecided(join: Join): Boolean =
    join.condition.nonEmpty && Probing.of(join.joinType).nonEmpty
}

/** Gives the optimizer the joins back, but for those over windows of rows: it would move filters below them. */
object ShowStreamingJoins extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.transformUpWithSubqueries {
    case c: CheckedStreamingJoin =>
      if (c.condition.exists(_.exists(_.isInstanceOf[WithinRows])))
        StreamingWindowJoin(c.left, c.right, c.joinType, c.condition)
      else c.join
  }
}

/** Takes the joins of streams out of Spark's hands when the optimizer has moved the filters and columns below them. */
object ExtractStreamingWindowJoin extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!ScaleGateConf.enabled(conf)) plan
    else
      plan.transformUp {
        case j: Join if j.left.isStreaming && j.right.isStreaming =>
          StreamingJoins.candidate(j).fold[LogicalPlan](j) { _ =>
            StreamingWindowJoin(j.left, j.right, j.joinType, j.condition)
          }
      }
}

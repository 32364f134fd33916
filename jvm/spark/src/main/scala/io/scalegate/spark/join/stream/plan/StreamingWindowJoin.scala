package io.scalegate.spark.join.stream.plan

import org.apache.spark.sql.catalyst.expressions.{
  And,
  AttributeSet,
  Expression,
  PredicateHelper,
  ScalarSubquery,
  SubqueryExpression
}
import org.apache.spark.sql.catalyst.plans.JoinType
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, Join, JoinHint, LogicalPlan}
import org.apache.spark.sql.streaming.OutputMode

import io.scalegate.spark.join.plan.WindowJoinCandidate
import io.scalegate.spark.join.rowcount.WithinRows
import io.scalegate.spark.plan.{JoinNode, StatefulNode}
import io.scalegate.spark.settings.Errors

/** A join of two streams that this package runs. A node of its own and no Join: Spark plans the joins of streams before
  * it asks anybody else.
  */
final case class StreamingWindowJoin(
    left: LogicalPlan,
    right: LogicalPlan,
    joinType: JoinType,
    condition: Option[Expression]
) extends JoinNode
    with StatefulNode {
  def join: Join = Join(left, right, joinType, condition, JoinHint.NONE)

  /** All columns of both inputs where the window counts rows, whatever is read of the result: rows of one time are in the
    * order of their columns, so that a column less would make other pairs.
    */
  override def references: AttributeSet =
    if (WithinRows.find(condition).nonEmpty)
      AttributeSet(left.output ++ right.output)
    else super.references

  override protected def over(l: LogicalPlan, r: LogicalPlan): StreamingWindowJoin =
    copy(left = l, right = r)
}

/** Which joins of two streams are run here. Those that have equality keys, and that Spark runs therefore, are left to
  * it where their state would not be bounded; those without are refused then.
  */
private[plan] object StreamingJoins extends PredicateHelper {

  /** None for a join that is left to Spark.
    *
    * @throws java.lang.IllegalArgumentException
    *   for one that can be run neither here nor there
    */
  def candidate(join: Join): Option[StreamingJoinCandidate] =
    if (!join.left.isStreaming || !join.right.isStreaming) None
    else {
      val c = asked(join)
      if (c.base.isRequested) c.refuseAlgorithm()
      if (c.isRunnable) Some(c)
      else if (c.isSparks) None
      else throw c.refusal
    }

  /** The same before it is decided who runs it. */
  def asked(join: Join): StreamingJoinCandidate = {
    val (windows, others) = join.condition.toSeq
      .flatMap(splitConjunctivePredicates)
      .partition(_.isInstanceOf[WithinRows])
    new StreamingJoinCandidate(
      new WindowJoinCandidate(join.copy(condition = others.reduceOption(And.apply))),
      windows.collectFirst { case w: WithinRows => w }
    )
  }

  /** Whether a condition gives the same answer each time, of the rows that it is given. */
  def isPlain(condition: Expression): Boolean =
    condition.deterministic && !condition.exists(isOfOtherRows)

  /** A query of one value over rows at rest has its answer when a batch begins; others do not. */
  private[this] def isOfOtherRows(e: Expression): Boolean = e match {
    case s: ScalarSubquery => s.isCorrelated || s.plan.isStreaming
    case s: SubqueryExpression => s.resolved
    case _ => false
  }

  /** What a join gives is given once.
    *
    * @param what
    *   how errors call it
    */
  def refuseMode(join: LogicalPlan, what: String, mode: OutputMode): Unit = {
    if (mode == OutputMode.Complete()) throw Errors.streamMode(what, "complete")
    if (mode == OutputMode.Update() && join.children.exists(givesAgain))
      throw Errors.streamUpdatedInput
  }

  /** In update mode an aggregate gives a group again when it has changed. */
  def givesAgain(input: LogicalPlan): Boolean =
    input.exists(p => p.isInstanceOf[Aggregate] && p.isStreaming)
}

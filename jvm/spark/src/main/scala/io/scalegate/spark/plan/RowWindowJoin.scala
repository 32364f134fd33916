package io.scalegate.spark.plan

import org.apache.spark.sql.catalyst.expressions.{And, AttributeSet, Expression, PredicateHelper}
import org.apache.spark.sql.catalyst.plans.JoinType
import org.apache.spark.sql.catalyst.plans.logical.{Join, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule

import io.scalegate.spark.ScaleGateConf
import io.scalegate.spark.exec.{Probing, RowWindowTerms}

/** The join over windows that count rows. A node of its own and no Join: a filter that moves below a
  * join leaves the join's rows as they are, but takes rows out of a window that counts them.
  *
  * @param condition
  *   what a pair within the window must satisfy
  * @param joinType
  *   one that [[Probing.of]] knows
  */
final case class RowWindowJoin(
    left: LogicalPlan,
    right: LogicalPlan,
    window: RowWindowTerms,
    condition: Option[Expression],
    joinType: JoinType
) extends JoinNode {

  /** All columns of both inputs, whatever is read of the result: rows of one time are in the order of their columns, so
    * that a column less would make other pairs.
    */
  override def references: AttributeSet = AttributeSet(left.output ++ right.output)

  override protected def over(l: LogicalPlan, r: LogicalPlan): RowWindowJoin =
    copy(left = l, right = r)
}

/** Takes joins with [[WithinRows]] out of the optimizer's hands. */
object ExtractRowWindowJoin extends Rule[LogicalPlan] with PredicateHelper {
  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!ScaleGateConf.enabled(conf)) plan
    else
      plan.transformUpWithSubqueries {
        case j: Join
            if j.resolved && Probing.of(j.joinType).nonEmpty && !j.isStreaming &&
              j.condition.exists(_.exists(_.isInstanceOf[WithinRows])) =>
          rewrite(j).getOrElse(j)
      }

  private[this] def rewrite(join: Join): Option[LogicalPlan] = {
    val conjuncts = join.condition.toSeq.flatMap(splitConjunctivePredicates)
    val others = conjuncts.filterNot {
      case _: WithinRows | _: WindowJoinRequested => true
      case _ => false
    }
    for {
      window <- conjuncts.collect { case w: WithinRows => w } match {
        case Seq(only) => Some(only)
        case _ => None
      }
      if !others.exists(_.exists(_.isInstanceOf[WithinRows])) && others.forall(_.deterministic)
      (l, r) <- window.times(join.left.outputSet, join.right.outputSet)
      (leftKeys, rightKeys) <- window.keys(join.left.outputSet, join.right.outputSet)
    } yield RowWindowJoin(
      join.left,
      join.right,
      RowWindowTerms(l, r, leftKeys, rightKeys, window.rows, window.threads),
      others.reduceOption(And.apply),
      join.joinType
    )
  }
}

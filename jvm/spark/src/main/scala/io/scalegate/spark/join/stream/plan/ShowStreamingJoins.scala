package io.scalegate.spark.join.stream.plan

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeMap, AttributeSet}
import org.apache.spark.sql.catalyst.plans.logical.{
  HintInfo,
  Join,
  JoinHint,
  LogicalPlan,
  NO_BROADCAST_HASH,
  Project
}
import org.apache.spark.sql.catalyst.plans.{LeftAnti, LeftSemi}
import org.apache.spark.sql.catalyst.rules.Rule

import io.scalegate.spark.join.asof.ExtractAsOfJoin
import io.scalegate.spark.plan.{PythonCall, Renumbered}

/** Gives the optimizer the hidden joins back, but for those over windows of rows, as-of joins and those whose tasks call
  * Python: it would move filters below them. The rule runs when a batch's plan is normalized.
  */
object ShowStreamingJoins extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.transformUpWithSubqueries {
    case c: CheckedStreamingJoin =>
      if (c.nearest.nonEmpty) ExtractAsOfJoin.node(c.join)
      else if (c.rowWindow.nonEmpty || c.condition.exists(PythonCall.isIn))
        StreamingWindowJoin(c.left, c.right, c.joinType, c.condition)
      else
        c.joinType match {
          case LeftSemi | LeftAnti => settled(c.join)
          case _ => c.join
        }
  }

  /** A semi or an anti join that Spark moves in every batch or in none, and to places where it is valid.
    *
    * Spark moves such a join below the left side's projections and generators. Of a stream that is joined with itself a
    * column there may be one of the right side, too: the right side has the columns that the condition reads, those
    * that lie below the left side under other numbers. And Spark moves it below the left side's aggregate where the
    * right side is small enough to be broadcast, as a stream without rows is: the two would change places in a batch,
    * and read each other's state. The right side is not to be broadcast.
    */
  private[this] def settled(join: Join): Join = {
    val read = AttributeSet.fromAttributeSets(join.condition.map(_.references))
    val hidden =
      AttributeSet.fromAttributeSets(join.left.map(_.outputSet)) -- join.left.outputSet
    val columns = join.right.output.filter(read.contains).map { column =>
      column -> (if (hidden.contains(column)) Renumbered(column) else column)
    }
    val renamed = AttributeMap(columns.map { case (from, to) => from -> to.toAttribute })
    join.copy(
      right = Project(columns.map(_._2), join.right),
      condition =
        join.condition.map(_.transform { case a: Attribute => renamed.getOrElse(a, a) }),
      hint = JoinHint(None, Some(HintInfo(Some(NO_BROADCAST_HASH))))
    )
  }
}

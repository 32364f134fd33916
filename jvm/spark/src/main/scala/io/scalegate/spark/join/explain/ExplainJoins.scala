package io.scalegate.spark.join.explain

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.types.StringType
import org.apache.spark.sql.{Row, SparkSession}

/** What `df.hint("EXPLAIN_JOINS")` is: a row for each of the frame's joins, with what [[JoinReport]] says of it. The frame
  * is planned and not run.
  */
final case class ExplainJoins(plan: LogicalPlan) extends FrameCommand {
  override val output: Seq[Attribute] =
    Seq(AttributeReference("join", StringType, nullable = false)())

  override def run(session: SparkSession): Seq[Row] =
    JoinReport.lines(query(session)).map(Row(_))
}

object ExplainJoins {
  val Name = "EXPLAIN_JOINS"
}

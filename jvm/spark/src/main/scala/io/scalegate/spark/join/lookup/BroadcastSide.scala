package io.scalegate.spark.join.lookup

import org.apache.spark.sql.catalyst.expressions.AttributeReference
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.BinaryType

/** The side of a join whose rows are broadcast, as it is planned.
  *
  * @param packed
  *   gives [[PackedRows]]
  * @param kept
  *   what its rows are known by in the batches to come
  */
final case class BroadcastSide(packed: SparkPlan, kept: Option[KeptRows])

object BroadcastSide {

  /** @param beside
    *   the other side
    * @param planned
    *   an input's own plan
    */
  def apply(held: LogicalPlan, beside: LogicalPlan)(
      planned: LogicalPlan => SparkPlan
  ): BroadcastSide = {
    val column = AttributeReference("rows", BinaryType, nullable = false)()
    val kept = KeptRows.from(held, beside, SQLConf.get)
    val packed = kept.flatMap(_.broadcast)
      .fold[SparkPlan](PackExec(column, planned(held)))(KeptRowsExec(column, _))
    BroadcastSide(packed, kept)
  }
}

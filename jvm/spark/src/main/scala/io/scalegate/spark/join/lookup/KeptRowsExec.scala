package io.scalegate.spark.join.lookup

import org.apache.spark.broadcast.Broadcast
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.physical.{
  BroadcastPartitioning,
  IdentityBroadcastMode,
  Partitioning
}
import org.apache.spark.sql.execution.LeafExecNode

/** Packed rows of a cached table that were broadcast for a batch before: see [[KeptRows]].
  *
  * @param packed
  *   as that of [[PackExec]]
  */
final case class KeptRowsExec(packed: Attribute, rows: Broadcast[Array[InternalRow]])
    extends LeafExecNode {
  override def nodeName: String = "WindowJoinKeptRows"
  override def output: Seq[Attribute] = Seq(packed)
  override def outputPartitioning: Partitioning = BroadcastPartitioning(IdentityBroadcastMode)

  override protected def doExecute(): RDD[InternalRow] =
    throw new IllegalStateException(
      s"the rows of $nodeName are broadcast, and asked for otherwise"
    )

  override def doExecuteBroadcast[T](): Broadcast[T] = rows.asInstanceOf[Broadcast[T]]

  override def simpleString(maxFields: Int): String = s"$nodeName of a cached table"
}

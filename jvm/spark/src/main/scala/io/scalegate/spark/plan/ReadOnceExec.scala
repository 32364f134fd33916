package io.scalegate.spark.plan

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  AttributeReference,
  ExprId,
  UnsafeProjection
}
import org.apache.spark.sql.execution.{LocalTableScanExec, SparkPlan, UnaryExecNode}

import io.scalegate.spark.rows.UnsafeRows

/** The rows of a [[ReadOnce]] input, below an exchange that all copies of it share.
  *
  * @param columns
  *   in the order that all copies have them in
  * @param input
  *   its number. By it alone Spark is to find that two copies are the same: what it made of the plan below them may
  *   differ, and a second exchange would read the input again
  */
final case class ReadOnceExec(columns: Seq[Attribute], input: Long, why: String, child: SparkPlan)
    extends UnaryExecNode {
  override def nodeName: String = "WindowJoinReadOnce"
  override def output: Seq[Attribute] = columns

  override protected def doExecute(): RDD[InternalRow] = {
    val (from, to) = (child.output, columns)
    val rows = child.execute()
    if (from.map(_.exprId) == to.map(_.exprId)) rows.mapPartitions(UnsafeRows(_, to))
    else rows.mapPartitions(_.map(UnsafeProjection.create(to, from)))
  }

  override protected def doCanonicalize(): SparkPlan = {
    val unnamed = columns.zipWithIndex.map { case (column, i) =>
      AttributeReference("none", column.dataType)(exprId = ExprId(i.toLong))
    }
    copy(columns = unnamed, why = "", child = LocalTableScanExec(unnamed, Nil, None))
  }

  override protected def withNewChildInternal(newChild: SparkPlan): SparkPlan =
    copy(child = newChild)

  override def simpleString(maxFields: Int): String =
    s"$nodeName input $input, whose rows may be others when they are read again, because of $why"
}

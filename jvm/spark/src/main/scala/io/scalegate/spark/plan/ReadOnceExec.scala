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
import org.apache.spark.sql.scalegate.TaskAccess

import io.scalegate.spark.rows.UnsafeRows

/** The rows of a [[ReadOnce]] input, below an exchange that all copies of it share. If a part of that exchange is lost,
  * and the input may come in another order when it is read again, Spark makes all of it again, and what the copies'
  * operators made of it.
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
    TaskAccess.mapInOrder(rows) { of =>
      if (from.map(_.exprId) == to.map(_.exprId)) UnsafeRows(of, to)
      else of.map(UnsafeProjection.create(to, from))
    }
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

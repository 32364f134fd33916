package io.scalegate.spark.exec

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenContext
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  BoundReference,
  JoinedRow,
  SortOrder,
  UnsafeProjection
}
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.{CodegenSupport, SparkPlan, UnaryExecNode}

/** The rows of a [[WindowJoinNode]] below, which are pairs of rows that lie where the join found them. Generated
  * code reads of them the columns that the operators above use, so that a pair which is only counted or
  * aggregated is never made into a row of its own.
  *
  * @param output
  *   columns of the child
  * @param leftColumns
  *   how many of the child's columns are those of a pair's left row, which come first
  */
final case class WindowJoinOutputExec(output: Seq[Attribute], leftColumns: Int, child: SparkPlan)
    extends UnaryExecNode
    with CodegenSupport {
  override def nodeName: String = "WindowJoinOutput"

  override def outputPartitioning: Partitioning = child.outputPartitioning

  override def outputOrdering: Seq[SortOrder] = child.outputOrdering

  override protected def doExecute(): RDD[InternalRow] = {
    val columns = child.output
    val wanted = output
    child.execute().mapPartitions { pairs =>
      val project = UnsafeProjection.create(wanted, columns)
      pairs.map(project)
    }
  }

  override def inputRDDs(): Seq[RDD[InternalRow]] = child.execute() :: Nil

  override protected def canCheckLimitNotReached: Boolean = true

  override protected def doProduce(ctx: CodegenContext): String = {
    val pairs = ctx.addMutableState("scala.collection.Iterator", "pairs", v => s"$v = inputs[0];")
    val pair = ctx.freshName("pair")
    val left = ctx.freshName("left")
    val right = ctx.freshName("right")
    ctx.currentVars = null
    val columns = output.map { a =>
      val at = child.output.indexWhere(_.exprId == a.exprId)
      val ofLeft = at < leftColumns
      ctx.INPUT_ROW = if (ofLeft) left else right
      BoundReference(if (ofLeft) at else at - leftColumns, a.dataType, a.nullable).genCode(ctx)
    }
    ctx.INPUT_ROW = null
    s"""
       |while ($limitNotReachedCond $pairs.hasNext()) {
       |  ${classOf[JoinedRow].getName} $pair = (${classOf[JoinedRow].getName}) $pairs.next();
       |  InternalRow $left = $pair.getLeft();
       |  InternalRow $right = $pair.getRight();
       |  ${consume(ctx, columns)}
       |  if (shouldStop()) return;
       |}
     """.stripMargin
  }

  override protected def withNewChildInternal(newChild: SparkPlan): SparkPlan =
    copy(child = newChild)
}

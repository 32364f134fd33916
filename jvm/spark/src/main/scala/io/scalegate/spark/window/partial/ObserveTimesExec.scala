package io.scalegate.spark.window.partial

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.plans.logical.EventTimeWatermark
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.execution.{CodegenSupport, SparkPlan, UnaryExecNode}

/** Observes the times of rows for the watermark of an [[ObservedWatermarkExec]] above, in the stage that reads them. A
  * time that is NULL counts as the epoch, as it does for Spark.
  *
  * @param time
  *   in microseconds
  */
final case class ObserveTimesExec(
    time: Attribute,
    delayMs: Long,
    times: WatermarkTimes,
    child: SparkPlan
) extends UnaryExecNode
    with CodegenSupport {
  override def nodeName: String = "ObserveTimes"
  override val output: Seq[Attribute] =
    EventTimeWatermark.updateEventTimeColumn(child.output, delayMs, time)
  override def outputPartitioning: Partitioning = child.outputPartitioning

  private[this] def at: Int = child.output.indexWhere(_.exprId == time.exprId)

  override protected def doExecute(): RDD[InternalRow] = {
    val (seen, at) = (times.accumulator, this.at)
    child.execute().map { row =>
      seen.add(if (row.isNullAt(at)) 0L else DateTimeUtils.microsToMillis(row.getLong(at)))
      row
    }
  }

  override def inputRDDs(): Seq[RDD[InternalRow]] =
    child.asInstanceOf[CodegenSupport].inputRDDs()

  override protected def doProduce(ctx: CodegenContext): String =
    child.asInstanceOf[CodegenSupport].produce(ctx, this)

  override def doConsume(ctx: CodegenContext, input: Seq[ExprCode], row: ExprCode): String = {
    val seen = ctx.addReferenceObj("times", times.accumulator)
    val read = input(at)
    val millis =
      s"${DateTimeUtils.getClass.getName.stripSuffix("$")}.microsToMillis(${read.value})"
    s"""
       |$seen.add(${read.isNull} ? 0L : $millis);
       |${consume(ctx, input)}
     """.stripMargin
  }

  override protected def withNewChildInternal(newChild: SparkPlan): ObserveTimesExec =
    copy(child = newChild)
}

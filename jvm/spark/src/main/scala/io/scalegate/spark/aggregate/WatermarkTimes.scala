package io.scalegate.spark.aggregate

import java.util.UUID
import java.util.concurrent.atomic.AtomicReference

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet}
import org.apache.spark.sql.catalyst.plans.logical.EventTimeWatermark
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.execution.streaming.operators.stateful.{
  EventTimeStatsAccum,
  EventTimeWatermarkExec
}
import org.apache.spark.sql.execution.{CodegenSupport, SparkPlan, UnaryExecNode}
import org.apache.spark.unsafe.types.CalendarInterval

/** Where the times of a batch that a watermark is made of are observed: by one accumulator for all parts of a union,
  * since Spark reports the times of one. Thread-safe; of use within the driver, though plans may travel with it.
  */
final private[aggregate] class WatermarkTimes extends Serializable {
  @transient private[this] val used = new AtomicReference[EventTimeStatsAccum]

  /** Offers an accumulator that Spark reads; the first is used. */
  def offer(accumulator: EventTimeStatsAccum): Unit = {
    used.compareAndSet(null, accumulator)
    ()
  }

  /** The one that is used; while there is none, one that nobody reads. */
  def accumulator: EventTimeStatsAccum = Option(used.get).getOrElse(new EventTimeStatsAccum)

  /** As EXPLAIN shows it. */
  override def toString: String = "for the watermark above"
}

/** Spark's node of a watermark, for rows whose times are observed below it: Spark reads them here. It lies above the
  * stage that reads the rows and makes partial results of them, which Spark's own would part in two.
  */
final class ObservedWatermarkExec(
    nodeId: UUID,
    eventTime: Attribute,
    delay: CalendarInterval,
    child: SparkPlan,
    times: WatermarkTimes
) extends EventTimeWatermarkExec(nodeId, eventTime, delay, child) {
  override def nodeName: String = "EventTimeWatermark"
  override val output: Seq[Attribute] = child.output
  override def outputPartitioning: Partitioning = child.outputPartitioning

  override protected def otherCopyArgs: Seq[AnyRef] = times :: Nil

  /** Of a column below the child. */
  @transient override lazy val references: AttributeSet = AttributeSet.empty

  override protected def doExecute(): RDD[InternalRow] = {
    times.offer(eventTimeStats)
    child.execute()
  }

  override protected def withNewChildInternal(newChild: SparkPlan): EventTimeWatermarkExec =
    new ObservedWatermarkExec(nodeId, eventTime, delay, newChild, times)
}

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

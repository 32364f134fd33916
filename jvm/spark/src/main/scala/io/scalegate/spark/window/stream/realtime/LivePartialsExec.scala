package io.scalegate.spark.window.stream.realtime

import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  AttributeReference,
  AttributeSet,
  NamedExpression
}
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.types.{BinaryType, LongType}

import io.scalegate.spark.window.partial.{PaneColumn, PaneFunctions, PartialPanesOf}
import io.scalegate.spark.window.stream.RealTimePanesTerms

/** The first step of a sliding-window aggregate in Real-Time Mode, before rows are exchanged: partial results of the rows
  * that came within a few milliseconds, by keys and pane, and what this task promises: see
  * [[LivePartials]].
  *
  * @param keys
  *   over the child's output
  * @param time
  *   one of the child's columns, in microseconds, BIGINT
  * @param functions
  *   of mode Partial
  * @param values
  *   the columns of partial results as they are exchanged: a block's number and its panes, or a pane and columns of its own
  * @param delay
  *   how far rows of a task may come out of order, in microseconds; None where nothing is promised
  * @param partitions
  *   of the aggregate
  */
final case class LivePartialsExec(
    column: PaneColumn,
    keys: Seq[NamedExpression],
    time: Attribute,
    functions: Seq[AggregateExpression],
    values: Seq[Attribute],
    delay: Option[Long],
    partitions: Int,
    told: Seq[Attribute],
    child: SparkPlan
) extends UnaryExecNode {
  override def nodeName: String = "WindowPartials"
  override def output: Seq[Attribute] = keys.map(_.toAttribute) ++ values ++ told

  override def producedAttributes: AttributeSet =
    AttributeSet(output ++ functions.map(_.resultAttribute)) ++
      AttributeSet(partial.held ++ partial.partial) -- child.outputSet

  override lazy val metrics: Map[String, SQLMetric] = Map(
    "numOutputRows" -> SQLMetrics.createMetric(sparkContext, "number of output rows"),
    "flushes" -> SQLMetrics.createMetric(sparkContext, "times that memory was full")
  )

  private[this] def partial = PaneFunctions(Nil, functions, Nil)

  override protected def doExecute(): RDD[InternalRow] = {
    val rowsOut = longMetric("numOutputRows")
    val rows = child.execute()
    val task = LivePartialsTask(
      PartialPanesOf(column.by, keys.map(_.dataType), partial, longMetric("flushes")),
      child.output,
      keys,
      column.pane,
      time,
      values,
      delay,
      partitions,
      rows.getNumPartitions
    )
    rows.mapPartitionsWithIndex { (partition, of) =>
      new LivePartials(partition, of, task, TaskContext.get()).map { row =>
        rowsOut += 1
        row
      }
    }
  }

  override protected def withNewChildInternal(newChild: SparkPlan): SparkPlan =
    copy(child = newChild)

  override def simpleString(maxFields: Int): String =
    s"$nodeName panes: ${column.by.panes}; keys: ${keys.mkString("[", ", ", "]")}; functions: " +
      s"${functions.map(_.aggregateFunction).mkString("[", ", ", "]")} to $partitions tasks"
}

object LivePartialsExec {

  /** The columns of a row beside its partial result: what it is exchanged by; which task it comes of
    * ([[io.scalegate.spark.join.stream.realtime.ProgressExec.sourceOf]]); of a promise what is promised, in microseconds,
    * when the row was read that it follows from, in microseconds since the epoch, and for how long no row has come since, in
    * microseconds, NULL where none has come yet; of the first of the rows that are sent at a time how many were read for them, of others 0.
    */
  def told: Seq[Attribute] = Seq(
    AttributeReference("cell", LongType, nullable = false)(),
    AttributeReference("source", LongType, nullable = false)(),
    AttributeReference("promised", LongType)(),
    AttributeReference("readAt", LongType)(),
    AttributeReference("silent", LongType)(),
    AttributeReference("count", LongType)()
  )

  val (cellAt, sourceAt, promisedAt, readAtAt, silentAt, countAt) = (0, 1, 2, 3, 4, 5)
  val Columns: Int = RealTimePanesTerms.Columns

  /** Partial results of fixed size, in blocks. */
  def blocks: Seq[Attribute] = Seq(
    AttributeReference("block", LongType, nullable = false)(),
    AttributeReference("panes", BinaryType, nullable = false)()
  )
}

/** One [[LivePartialsExec]] as it travels to the executors.
  *
  * @param sources
  *   the tasks
  */
final case class LivePartialsTask(
    partials: PartialPanesOf,
    input: Seq[Attribute],
    keys: Seq[NamedExpression],
    pane: Attribute,
    time: Attribute,
    values: Seq[Attribute],
    delay: Option[Long],
    partitions: Int,
    sources: Int
)

package io.scalegate.spark.window.design

import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  Ascending,
  Attribute,
  AttributeSet,
  Expression,
  NamedExpression,
  SortOrder
}
import org.apache.spark.sql.catalyst.plans.physical.{
  AllTuples,
  ClusteredDistribution,
  Distribution,
  Partitioning,
  SinglePartition,
  UnknownPartitioning
}
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}

import io.scalegate.spark.exchange.ExchangeReader
import io.scalegate.spark.settings.NamedDesign
import io.scalegate.spark.window.PaneTerms
import io.scalegate.spark.window.partial.PaneFunctions

/** An aggregate over sliding windows by a design of the paper on T-Gate and W-Hive, which a hint names. Rows come in the
  * order of their times: in one task, or by their keys. In each task they are dealt to the design's inputs one after the
  * other, so that each input is sorted.
  *
  * @param terms
  *   what panes would compute; its functions are of partial results
  * @param keys
  *   over the child's output, in the form in which they are compared
  * @param time
  *   one of the child's columns, in microseconds, never NULL
  * @param updates
  *   the functions over the child's output
  * @param window
  *   the column that is made, STRUCT<start, end>
  * @param resultExpressions
  *   over keys, window and the functions' results
  */
final case class DesignWindowsExec(
    terms: PaneTerms,
    design: NamedDesign,
    keys: Seq[NamedExpression],
    time: Attribute,
    updates: Seq[AggregateExpression],
    window: Attribute,
    resultExpressions: Seq[NamedExpression],
    child: SparkPlan
) extends UnaryExecNode
    with ExchangeReader {
  override def nodeName: String = "DesignWindows"
  override def output: Seq[Attribute] = resultExpressions.map(_.toAttribute)

  override def producedAttributes: AttributeSet =
    AttributeSet(window +: terms.keys) ++
      AttributeSet(terms.functions.map(_.resultAttribute)) ++
      AttributeSet(
        (terms.functions ++ updates).flatMap(_.aggregateFunction.aggBufferAttributes)
      ) ++
      AttributeSet(terms.functions.flatMap(_.aggregateFunction.inputAggBufferAttributes)) ++
      AttributeSet(output) -- child.outputSet

  private[this] def keyValues: Seq[Expression] = keys.map {
    case Alias(value, _) => value
    case other => other
  }

  override def requiredChildDistribution: Seq[Distribution] =
    Seq(if (keys.isEmpty) AllTuples else ClusteredDistribution(keyValues))

  override def requiredChildOrdering: Seq[Seq[SortOrder]] =
    Seq(Seq(SortOrder(time, Ascending)))

  override def outputPartitioning: Partitioning =
    if (keys.isEmpty) SinglePartition
    else UnknownPartitioning(child.outputPartitioning.numPartitions)

  override lazy val metrics: Map[String, SQLMetric] = Map(
    "numOutputRows" -> SQLMetrics.createMetric(sparkContext, "number of output rows"),
    "rowsIn" -> SQLMetrics.createMetric(sparkContext, "rows taken")
  )

  override protected def doExecute(): RDD[InternalRow] = {
    val task = DesignTask(
      terms.by,
      design,
      child.output,
      keyValues,
      terms.keys,
      window,
      time,
      PaneFunctions(Nil, updates, Nil),
      PaneFunctions(terms.keys :+ window, terms.functions, resultExpressions),
      terms.having
    )
    val (rowsOut, rowsIn) = (longMetric("numOutputRows"), longMetric("rowsIn"))
    child.execute().mapPartitionsWithIndex { (partition, rows) =>
      val windows = task.open(partition, rows)
      TaskContext.get().addTaskCompletionListener[Unit] { _ =>
        windows.close()
        rowsIn += windows.taken
      }
      windows.map { row =>
        rowsOut += 1
        row
      }
    }
  }

  override protected def withNewChildInternal(newChild: SparkPlan): SparkPlan =
    copy(child = newChild)

  private[this] def description: Seq[String] =
    terms.description
      .filterNot(_.startsWith("panes: ")) :+ design.describe

  override def simpleString(maxFields: Int): String =
    s"$nodeName ${description.mkString("; ")}"

  override def verboseStringWithOperatorId(): String =
    s"""
       |$formattedNodeName
       |${description.mkString("\n")}
       |""".stripMargin
}

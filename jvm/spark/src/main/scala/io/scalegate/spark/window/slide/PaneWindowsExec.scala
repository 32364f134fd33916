package io.scalegate.spark.window.slide

import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet, NamedExpression}
import org.apache.spark.sql.catalyst.plans.physical.{
  AllTuples,
  ClusteredDistribution,
  Distribution
}
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.execution.{
  PartitioningPreservingUnaryExecNode,
  SparkPlan,
  UnaryExecNode
}

import io.scalegate.spark.exchange.ExchangeReader
import io.scalegate.spark.window.PaneTerms
import io.scalegate.spark.window.partial.{PaneFunctions, PanePartials}

/** Slides over each key's panes and gives a row for each window that holds any: the last step of a sliding-window
  * aggregate.
  *
  * Input contract: the child's columns are the keys, the pane and the partial results of the functions, in this order,
  * in the form in which Spark exchanges them; or the output of `PartialPanesExec`. Rows of one key come in one
  * partition, in any order; without keys all rows come in one.
  *
  * A task holds the panes of one window of one key, and what the sort keeps in memory.
  *
  * @param terms
  *   whose keys are the first of the child's columns
  * @param window
  *   the column that is made, STRUCT<start, end>
  * @param resultExpressions
  *   over keys, window and the functions' results
  * @param packed
  *   whether the child's rows are those of `PartialPanesExec`
  */
final case class PaneWindowsExec(
    terms: PaneTerms,
    window: Attribute,
    resultExpressions: Seq[NamedExpression],
    packed: Boolean,
    child: SparkPlan
) extends UnaryExecNode
    with PartitioningPreservingUnaryExecNode
    with ExchangeReader {
  import terms.{by, functions, having, keys}

  override def nodeName: String = "PaneWindows"
  override def output: Seq[Attribute] = resultExpressions.map(_.toAttribute)
  override protected def outputExpressions: Seq[NamedExpression] = resultExpressions

  override def producedAttributes: AttributeSet =
    AttributeSet(window +: functions.map(_.resultAttribute)) ++
      AttributeSet(functions.flatMap(_.aggregateFunction.aggBufferAttributes)) ++
      AttributeSet(resultExpressions.map(_.toAttribute)) -- child.outputSet

  override def requiredChildDistribution: Seq[Distribution] =
    Seq(if (keys.isEmpty) AllTuples else ClusteredDistribution(keys))

  override lazy val metrics: Map[String, SQLMetric] = Map(
    "numOutputRows" -> SQLMetrics.createMetric(sparkContext, "number of output rows"),
    "panes" -> SQLMetrics.createMetric(sparkContext, "panes"),
    "merges" -> SQLMetrics.createMetric(sparkContext, "merges of partial results"),
    "peakPanes" -> SQLMetrics.createMetric(sparkContext, "peak panes held, sum over tasks")
  )

  override protected def doExecute(): RDD[InternalRow] = {
    val windowFunctions = PaneFunctions(keys :+ window, functions, resultExpressions)
    val columns = PaneColumns.arriving(child.output, keys, windowFunctions, packed)
    val task = PaneWindowsTask(by, columns, keys, window, windowFunctions, having)
    val rowsOut = longMetric("numOutputRows")
    val panes = longMetric("panes")
    val merges = longMetric("merges")
    val peak = longMetric("peakPanes")
    child.execute().mapPartitionsWithIndex { (partition, rows) =>
      val partials = PanePartials(partition, task.functions)
      val reader = PaneReader(new PaneSort(task)(rows), task, partials)
      val windows = new PaneWindowsIterator(partition, reader, task, partials)
      TaskContext.get().addTaskCompletionListener[Unit] { _ =>
        panes += windows.panes
        merges += windows.merges
        peak += windows.peak
      }
      windows.map { row =>
        rowsOut += 1
        row
      }
    }
  }

  override protected def withNewChildInternal(newChild: SparkPlan): SparkPlan =
    copy(child = newChild)

  override def simpleString(maxFields: Int): String =
    s"$nodeName ${terms.description.mkString("; ")}"

  override def verboseStringWithOperatorId(): String =
    s"""
       |$formattedNodeName
       |${terms.description.mkString("\n")}
       |""".stripMargin
}

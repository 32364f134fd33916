package io.scalegate.spark.join.aggregate

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical.{
  AllTuples,
  ClusteredDistribution,
  Distribution,
  Partitioning,
  UnknownPartitioning
}
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.execution.{BinaryExecNode, SparkPlan}

import io.scalegate.spark.exchange.ExchangeReader
import io.scalegate.stream.Sides

/** Gives each left row with aggregates of the right rows around it: a window for each interval slides over the right rows of
  * a key as its left rows come, and no pair is made.
  *
  * Planned on the driver. A task holds the rows of one window of each interval, on disk where its memory is full, and of
  * these about as many states as the root of their number.
  *
  * @param shown
  *   of the left input's columns, those that are given
  * @param description
  *   what EXPLAIN says, its parts separated by "; "
  */
final case class IntervalAggregateExec(
    terms: IntervalTerms,
    shown: Seq[Attribute],
    description: String,
    left: SparkPlan,
    right: SparkPlan
) extends BinaryExecNode
    with ExchangeReader {
  override def nodeName: String = "IntervalAggregate"
  override def output: Seq[Attribute] = shown ++ terms.results
  override def producedAttributes: AttributeSet = terms.produced

  override def requiredChildDistribution: Seq[Distribution] =
    terms.keys.sides.map(k => if (k.isEmpty) AllTuples else ClusteredDistribution(k)).toSeq

  override def requiredChildOrdering: Seq[Seq[SortOrder]] =
    terms.ordering(right.output).toSeq

  override def outputPartitioning: Partitioning =
    if (terms.keys.cells.isEmpty) left.outputPartitioning
    else UnknownPartitioning(left.outputPartitioning.numPartitions)

  override def outputOrdering: Seq[SortOrder] =
    if (terms.keys.cells.isEmpty) left.outputOrdering else Nil

  override lazy val metrics: Map[String, SQLMetric] = Map(
    "numOutputRows" -> SQLMetrics.createMetric(sparkContext, "number of output rows"),
    "rowsKept" -> SQLMetrics.createMetric(sparkContext, "rows kept in windows"),
    "merges" -> SQLMetrics.createMetric(sparkContext, "merges of partial results"),
    "peakWindow" -> SQLMetrics.createMetric(sparkContext, "peak window rows, sum over tasks"),
    "spilledBlocks" -> SQLMetrics.createMetric(
      sparkContext,
      "blocks of windows that were kept on disk for want of memory"
    )
  )

  override protected def doExecute(): RDD[InternalRow] = {
    val task = new IntervalAggregateTask(terms, shown, Sides(left, right).map(_.output))
    val counters =
      Seq("numOutputRows", "rowsKept", "merges", "peakWindow", "spilledBlocks").map(longMetric)
    left.execute().zipPartitions(right.execute())((l, r) => task.run(l, r, counters))
  }

  override protected def withNewChildrenInternal(l: SparkPlan, r: SparkPlan): SparkPlan =
    copy(left = l, right = r)

  override def simpleString(maxFields: Int): String = s"$nodeName $description"

  override def verboseStringWithOperatorId(): String =
    s"""
       |$formattedNodeName
       |${description.replace("; ", "\n")}
       |""".stripMargin
}

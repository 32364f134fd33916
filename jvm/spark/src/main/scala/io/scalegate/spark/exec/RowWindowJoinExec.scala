package io.scalegate.spark.exec

import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Ascending,
  Attribute,
  Expression,
  RowOrdering,
  SortOrder,
  UnsafeProjection
}
import org.apache.spark.sql.catalyst.plans.physical.{
  AllTuples,
  Distribution,
  Partitioning,
  SinglePartition
}
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.execution.{BinaryExecNode, SparkPlan}

import io.scalegate.join.Band

/** The inner join over windows that count rows: the later row of a pair meets the last `rows` rows of the
  * other side. That is a statement about the whole of both inputs in one order, so they meet in one task,
  * where ScaleJoin shares the comparisons among threads.
  *
  * The order is that of the times; a left row comes before a right row of the same time, and rows of one
  * side and one time are in the order of their columns. A row whose time is NULL is in no window; one whose
  * banded attributes are NULL takes its place in the window and matches nothing.
  *
  * @param leftBounded
  *   the time, then the banded attributes
  * @param bands
  *   `rightBounded(i + 1) − leftBounded(i + 1)` lies in the i-th band
  */
final case class RowWindowJoinExec(
    rows: Long,
    leftBounded: Seq[Expression],
    rightBounded: Seq[Expression],
    bands: Seq[Band],
    residual: Option[Expression],
    threads: Int,
    output: Seq[Attribute],
    description: String,
    left: SparkPlan,
    right: SparkPlan
) extends BinaryExecNode {
  override def nodeName: String = "WindowJoin"

  override lazy val metrics: Map[String, SQLMetric] = Map(
    "numOutputRows" -> SQLMetrics.createMetric(sparkContext, "number of output rows"),
    "comparisons" -> SQLMetrics.createMetric(sparkContext, "comparisons"),
    "busiest" -> SQLMetrics.createMetric(sparkContext, "comparisons of the busiest thread"),
    "leastBusy" -> SQLMetrics.createMetric(sparkContext, "comparisons of the least busy thread"),
    "rowsKept" -> SQLMetrics.createMetric(sparkContext, "rows kept in windows"),
    "peakWindow" -> SQLMetrics.createMetric(sparkContext, "peak window rows, sum over threads")
  )

  override def requiredChildDistribution: Seq[Distribution] = AllTuples :: AllTuples :: Nil

  override def requiredChildOrdering: Seq[Seq[SortOrder]] =
    Seq(leftBounded.head +: left.output, rightBounded.head +: right.output).map(
      _.filter(e => RowOrdering.isOrderable(e.dataType)).map(SortOrder(_, Ascending))
    )

  override def outputPartitioning: Partitioning = SinglePartition

  override protected def doExecute(): RDD[InternalRow] = {
    val rowsOut = longMetric("numOutputRows")
    val names = Seq("comparisons", "busiest", "leastBusy", "rowsKept", "peakWindow")
    val counters = names.map(longMetric)
    val task = new RowWindowTask(
      rows,
      new BoundedInput(leftBounded, left.output),
      new BoundedInput(rightBounded, right.output),
      bands.toIndexedSeq,
      residual,
      threads
    )
    val (in, out) = (left.output ++ right.output, output)
    left.execute().zipPartitions(right.execute()) { (l, r) =>
      val joined = task.join(l, r)
      TaskContext.get().addTaskCompletionListener[Unit] { _ =>
        joined.close()
        val m = joined.metrics
        val shares = m.workers.map(_.comparisons)
        val counts = Seq(m.comparisons, shares.max, shares.min, m.stored, m.peakWindowRows)
        counters.zip(counts).foreach { case (metric, count) => metric += count }
      }
      val project = UnsafeProjection.create(out, in)
      joined.map { pair =>
        rowsOut += 1
        project(pair)
      }
    }
  }

  override def simpleString(maxFields: Int): String = s"$nodeName Inner, $description"

  override def verboseStringWithOperatorId(): String =
    s"""
       |$formattedNodeName
       |${description.replace("; ", "\n")}
       |""".stripMargin

  override protected def withNewChildrenInternal(l: SparkPlan, r: SparkPlan): SparkPlan =
    copy(left = l, right = r)
}

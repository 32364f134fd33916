package io.scalegate.spark.exec

import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Ascending,
  Attribute,
  Expression,
  SortOrder,
  UnsafeProjection
}
import org.apache.spark.sql.catalyst.plans.physical.{
  ClusteredDistribution,
  Distribution,
  Partitioning,
  PartitioningCollection,
  UnknownPartitioning
}
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.execution.{BinaryExecNode, SparkPlan}

import io.scalegate.join.Band

/** The inner join of two batch inputs whose condition bounds at least one difference between them. Both
  * inputs come clustered by the keys, and sorted by the keys and the first bounded attribute; so the memory
  * that a task needs is one window of one key, and what does not fit before it is spilled by Spark's sort.
  *
  * @param leftKeys
  *   equal in every result row, as are `rightKeys`: the equi keys, or the cell of a keyless join
  * @param leftBounded
  *   the attributes that are bounded, the one that the window slides along first
  * @param bands
  *   `rightBounded(i) − leftBounded(i)` lies in the i-th band
  * @param residual
  *   what is left of the condition, evaluated on every candidate
  * @param cells
  *   whether the keys are cells that [[SliceExec]] made, which the output does not have
  */
final case class WindowJoinExec(
    leftKeys: Seq[Expression],
    rightKeys: Seq[Expression],
    leftBounded: Seq[Expression],
    rightBounded: Seq[Expression],
    bands: Seq[Band],
    residual: Option[Expression],
    cells: Boolean,
    output: Seq[Attribute],
    description: String,
    left: SparkPlan,
    right: SparkPlan
) extends BinaryExecNode {
  override def nodeName: String = "WindowJoin"

  override lazy val metrics: Map[String, SQLMetric] = Map(
    "numOutputRows" -> SQLMetrics.createMetric(sparkContext, "number of output rows"),
    "comparisons" -> SQLMetrics.createMetric(sparkContext, "comparisons"),
    "rowsKept" -> SQLMetrics.createMetric(sparkContext, "rows kept in windows"),
    "peakWindow" -> SQLMetrics.createMetric(sparkContext, "peak window rows, sum over tasks")
  )

  override def requiredChildDistribution: Seq[Distribution] =
    ClusteredDistribution(leftKeys) :: ClusteredDistribution(rightKeys) :: Nil

  override def requiredChildOrdering: Seq[Seq[SortOrder]] =
    Seq(leftKeys :+ leftBounded.head, rightKeys :+ rightBounded.head).map(
      _.map(SortOrder(_, Ascending))
    )

  override def outputPartitioning: Partitioning =
    if (cells) UnknownPartitioning(left.outputPartitioning.numPartitions)
    else PartitioningCollection(Seq(left.outputPartitioning, right.outputPartitioning))

  override protected def doExecute(): RDD[InternalRow] = {
    val rowsOut = longMetric("numOutputRows")
    val counters = Seq("comparisons", "rowsKept", "peakWindow").map(longMetric)
    val task = new SweepTask(
      new SideInput(leftKeys, leftBounded, left.output),
      new SideInput(rightKeys, rightBounded, right.output),
      bands.toIndexedSeq,
      residual
    )
    val (in, out) = (left.output ++ right.output, output)
    left.execute().zipPartitions(right.execute()) { (l, r) =>
      val joined = task.join(l, r)
      TaskContext.get().addTaskCompletionListener[Unit] { _ =>
        val counts = Seq(joined.comparisons, joined.rowsKept, joined.peakWindow)
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

package io.scalegate.spark.join.cube

import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Ascending, Attribute, Expression, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical.{
  AllTuples,
  Distribution,
  Partitioning,
  SinglePartition
}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}

import io.scalegate.matrix.cube.{CubeLayout, CubePair}
import io.scalegate.spark.exchange.ExchangeReader

/** The inner join of three inputs by a cube of workers (DP-Join §III-C). All rows meet in one task, whose thread feeds the
  * workers in the order of times.
  *
  * @param times
  *   of each input, as 64-bit numbers, never NULL
  * @param bounded
  *   the banded attributes of each input, never NULL
  * @param residual
  *   over the columns of all three
  * @param pairs
  *   of the first input and the second, the second and the third, the first and the third
  * @param bounds
  *   windows and bands, as EXPLAIN shows them
  */
final case class CubeJoinExec(
    layout: CubeLayout,
    times: Seq[Expression],
    bounded: Seq[Seq[Expression]],
    residual: Option[Expression],
    pairs: Seq[CubePair],
    bounds: Seq[String],
    first: SparkPlan,
    second: SparkPlan,
    third: SparkPlan
) extends ExchangeReader {
  override def children: Seq[SparkPlan] = Seq(first, second, third)
  override def output: Seq[Attribute] = children.flatMap(_.output)
  override def outputPartitioning: Partitioning = SinglePartition
  override def requiredChildDistribution: Seq[Distribution] = Seq.fill(3)(AllTuples)
  override def requiredChildOrdering: Seq[Seq[SortOrder]] =
    times.map(time => Seq(SortOrder(time, Ascending)))

  override def nodeName: String = "CubeJoin"
  override def simpleString(maxFields: Int): String = s"$nodeName Inner, $description"

  /** What EXPLAIN says of the join, its parts separated by "; ". */
  def description: String = {
    val rest = residual.map(r => s"residual: ${r.sql}")
    (bounds ++ rest :+ s"algorithm: cube of $layout workers in one task").mkString("; ")
  }

  override lazy val metrics: Map[String, SQLMetric] = Map(
    "numOutputRows" -> SQLMetrics.createMetric(sparkContext, "number of output rows"),
    "comparisons" -> SQLMetrics.createMetric(sparkContext, "comparisons")
  )

  override protected def doExecute(): RDD[InternalRow] = {
    val task =
      new CubeTask(layout, times, bounded, residual, pairs, children.map(_.output))
    val (rowsOut, comparisons) = (longMetric("numOutputRows"), longMetric("comparisons"))
    first.execute().zipPartitions(second.execute(), third.execute()) { (a, b, c) =>
      val rows = task.join(Vector(a, b, c))
      TaskContext.get().addTaskCompletionListener[Unit] { _ =>
        rows.close()
        rowsOut += rows.count
        comparisons += rows.comparisons
      }
      rows
    }
  }

  override protected def withNewChildrenInternal(changed: IndexedSeq[SparkPlan]): CubeJoinExec =
    copy(first = changed(0), second = changed(1), third = changed(2))
}

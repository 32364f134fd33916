package org.apache.spark.sql.scalegate

import scala.concurrent.Future

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.plans.logical.Statistics
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.exchange.{
  ShuffleExchangeExec,
  ShuffleExchangeLike,
  ShuffleOrigin
}
import org.apache.spark.sql.execution.metric.{
  SQLMetric,
  SQLMetrics,
  SQLShuffleReadMetricsReporter,
  SQLShuffleWriteMetricsReporter
}
import org.apache.spark.sql.execution.{
  SQLExecution,
  ShufflePartitionSpec,
  ShuffledRowRDD,
  SparkPlan
}
import org.apache.spark.{MapOutputStatistics, ShuffleDependency}

import io.scalegate.spark.exchange.RowSerializer

/** Spark's exchange, with rows written and read by a [[RowSerializer]]. Partitions, files, statistics and metrics are
  * those of Spark's.
  */
final case class RowExchangeExec(
    override val outputPartitioning: Partitioning,
    child: SparkPlan,
    shuffleOrigin: ShuffleOrigin,
    advisoryPartitionSize: Option[Long]
) extends ShuffleExchangeLike {
  private[this] lazy val writeMetrics =
    SQLShuffleWriteMetricsReporter.createShuffleWriteMetrics(sparkContext)
  private[this] lazy val readMetrics =
    SQLShuffleReadMetricsReporter.createShuffleReadMetrics(sparkContext)

  override lazy val metrics: Map[String, SQLMetric] = Map(
    "dataSize" -> SQLMetrics.createSizeMetric(sparkContext, "data size"),
    "numPartitions" -> SQLMetrics.createMetric(sparkContext, "number of partitions")
  ) ++ readMetrics ++ writeMetrics

  override def nodeName: String = "Exchange"

  @transient lazy val inputRDD: RDD[InternalRow] = child.execute()

  @transient lazy val shuffleDependency: ShuffleDependency[Int, InternalRow, InternalRow] = {
    val dependency = ShuffleExchangeExec.prepareShuffleDependency(
      inputRDD,
      child.output,
      outputPartitioning,
      new RowSerializer(child.output.map(_.dataType), longMetric("dataSize")),
      writeMetrics
    )
    val partitions = longMetric("numPartitions")
    partitions.set(dependency.partitioner.numPartitions.toLong)
    val query = sparkContext.getLocalProperty(SQLExecution.EXECUTION_ID_KEY)
    SQLMetrics.postDriverMetricUpdates(sparkContext, query, partitions :: Nil)
    dependency
  }

  @transient override lazy val mapOutputStatisticsFuture: Future[MapOutputStatistics] =
    if (inputRDD.getNumPartitions == 0) Future.successful(null)
    else sparkContext.submitMapStage(shuffleDependency)

  override def numMappers: Int = shuffleDependency.rdd.getNumPartitions
  override def numPartitions: Int = shuffleDependency.partitioner.numPartitions
  override def shuffleId: Int = shuffleDependency.shuffleId

  override def getShuffleRDD(specs: Array[ShufflePartitionSpec]): RDD[InternalRow] =
    new ShuffledRowRDD(shuffleDependency, readMetrics, specs)

  override def runtimeStatistics: Statistics = Statistics(
    longMetric("dataSize").value,
    Some(longMetric(SQLShuffleWriteMetricsReporter.SHUFFLE_RECORDS_WRITTEN).value)
  )

  /** One for all who read this exchange. */
  @transient private[this] lazy val rows = new ShuffledRowRDD(shuffleDependency, readMetrics)

  override protected def doExecute(): RDD[InternalRow] = rows

  override protected def withNewChildInternal(newChild: SparkPlan): RowExchangeExec =
    copy(child = newChild)
}

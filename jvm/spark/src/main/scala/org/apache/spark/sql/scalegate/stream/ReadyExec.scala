package org.apache.spark.sql.scalegate.stream
import org.apache.hadoop.conf.Configuration
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet, Expression}
import org.apache.spark.sql.catalyst.plans.physical.{Distribution, Partitioning}
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.execution.streaming.state._
import org.apache.spark.sql.execution.{BinaryExecNode, SparkPlan}
import org.apache.spark.sql.scalegate.SparkStreams._
import org.apache.spark.sql.streaming.StateOperatorProgress
import org.apache.spark.util.CollectionAccumulator

import io.scalegate.spark.exchange.ExchangeReader

/** A [[HostedExec]] that Spark has given all that it needs, over the inputs that are executed. The last rules change no
  * more than these, and to make the operator again for each would take milliseconds, see [[PlannedExec]].
  *
  * @param hosted
  *   its expressions, which the rules that come after may change, and whose subqueries run before it is executed
  */
final case class ReadyExec(
    host: HostedExec,
    hosted: Seq[Expression],
    left: SparkPlan,
    right: SparkPlan
) extends BinaryExecNode
    with HostMetrics
    with ExchangeReader {
  override lazy val metrics: Map[String, SQLMetric] = host.metrics
  override val checkpointInfoAccumulator
      : CollectionAccumulator[StatefulOpStateStoreCheckpointInfo] =
    host.checkpointInfoAccumulator

  /** Known in tasks too, where aggregates above read what is below them and the host has nothing left to tell. */
  override val output: Seq[Attribute] = host.output
  override def producedAttributes: AttributeSet = host.producedAttributes
  override def requiredChildDistribution: Seq[Distribution] = host.requiredChildDistribution
  override def outputPartitioning: Partitioning = host.partitioningOver(left, right)

  override def stateInfo: Option[StatefulOperatorStateInfo] = host.stateInfo
  override def shortName: String = host.shortName
  override def operatorStateMetadataVersion: Int = host.operatorStateMetadataVersion
  override def operatorStateMetadata(paths: List[List[String]]): OperatorStateMetadata =
    host.operatorStateMetadata(paths)
  override def validateAndMaybeEvolveStateSchema(
      hadoopConf: Configuration,
      batchId: Long,
      stateSchemaVersion: Int
  ): List[StateSchemaValidationResult] =
    host.validateAndMaybeEvolveStateSchema(hadoopConf, batchId, stateSchemaVersion)
  override def shouldRunAnotherBatch(newInputWatermark: Long): Boolean =
    host.shouldRunAnotherBatch(newInputWatermark)
  override def produceOutputWatermark(inputWatermarkMs: Long): Option[Long] =
    host.produceOutputWatermark(inputWatermarkMs)
  override def getProgress(): StateOperatorProgress = host.getProgress()

  override def nodeName: String = host.nodeName
  override def simpleString(maxFields: Int): String = host.simpleString(maxFields)
  override def verboseStringWithOperatorId(): String =
    HostedExec.verbose(formattedNodeName, host.parts)

  override protected def doExecute(): RDD[InternalRow] =
    host.over(left, right, HostedExec.answered(hosted))

  override protected def withNewChildrenInternal(l: SparkPlan, r: SparkPlan): SparkPlan =
    copy(left = l, right = r)
}

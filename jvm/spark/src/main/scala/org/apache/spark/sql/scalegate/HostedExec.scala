package org.apache.spark.sql.scalegate

import org.apache.hadoop.conf.Configuration
import org.apache.spark.TaskContext
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet, Expression}
import org.apache.spark.sql.catalyst.plans.physical.{AllTuples, Distribution}
import org.apache.spark.sql.catalyst.plans.{Inner, JoinType}
import org.apache.spark.sql.execution.streaming.operators.stateful.join.StreamingSymmetricHashJoinExec
import org.apache.spark.sql.execution.streaming.operators.stateful.join
  .StreamingSymmetricHashJoinHelper.{JoinConditionSplitPredicates, JoinStateWatermarkPredicates}
import org.apache.spark.sql.execution.streaming.operators.stateful.{
  StatefulOperatorCustomMetric,
  StatefulOperatorCustomSumMetric,
  StatefulOperatorStateInfo
}
import org.apache.spark.sql.execution.streaming.state._
import org.apache.spark.sql.execution.{BinaryExecNode, SparkPlan}
import org.apache.spark.sql.streaming.OutputMode
import org.apache.spark.sql.types.StructType
import org.apache.spark.util.SerializableConfiguration

/** A stateful operator of this package. Spark plans stateful operators by name and knows no others, so each is a kind of
  * Spark's own stream-stream join: what it inherits is how Spark gives it the place of its state, the watermarks and the
  * output mode, which is by its `copy`. All that it does is its own.
  */
abstract class HostedExec(
    leftKeys: Seq[Expression],
    rightKeys: Seq[Expression],
    joinType: JoinType,
    condition: JoinConditionSplitPredicates,
    stateInfo: Option[StatefulOperatorStateInfo],
    eventTimeWatermarkForLateEvents: Option[Long],
    eventTimeWatermarkForEviction: Option[Long],
    stateWatermarkPredicates: JoinStateWatermarkPredicates,
    stateFormatVersion: Int,
    left: SparkPlan,
    right: SparkPlan,
    outputMode: Option[OutputMode]
) extends StreamingSymmetricHashJoinExec(
      leftKeys,
      rightKeys,
      joinType,
      condition,
      stateInfo,
      eventTimeWatermarkForLateEvents,
      eventTimeWatermarkForEviction,
      stateWatermarkPredicates,
      stateFormatVersion,
      left,
      right,
      outputMode
    ) {

  /** The same operator with what Spark gives it. */
  protected def made(
      leftKeys: Seq[Expression],
      rightKeys: Seq[Expression],
      joinType: JoinType,
      condition: JoinConditionSplitPredicates,
      stateInfo: Option[StatefulOperatorStateInfo],
      eventTimeWatermarkForLateEvents: Option[Long],
      eventTimeWatermarkForEviction: Option[Long],
      stateWatermarkPredicates: JoinStateWatermarkPredicates,
      stateFormatVersion: Int,
      left: SparkPlan,
      right: SparkPlan,
      outputMode: Option[OutputMode]
  ): HostedExec

  /** Of its state, if it is not for Spark to say how many. */
  protected def partitions: Option[Int]

  /** What it is made by, beside its inputs. */
  override protected def otherCopyArgs: Seq[AnyRef]

  /** What messages call it, and the file in its checkpoint that holds its terms. */
  protected def says: String
  protected def specFile: String

  /** What a checkpoint must have been made by for this operator to go on with it. */
  protected def terms: Seq[(String, String)]

  protected def keySchema: StructType
  protected def valueSchema: StructType

  /** What the progress tells beside what it tells of every stateful operator: names and what they mean. */
  protected def counters: Seq[(String, String)]

  final override def copy(
      leftKeys: Seq[Expression],
      rightKeys: Seq[Expression],
      joinType: JoinType,
      condition: JoinConditionSplitPredicates,
      stateInfo: Option[StatefulOperatorStateInfo],
      eventTimeWatermarkForLateEvents: Option[Long],
      eventTimeWatermarkForEviction: Option[Long],
      stateWatermarkPredicates: JoinStateWatermarkPredicates,
      stateFormatVersion: Int,
      left: SparkPlan,
      right: SparkPlan,
      outputMode: Option[OutputMode]
  ): HostedExec = made(
    leftKeys,
    rightKeys,
    joinType,
    condition,
    stateInfo.map(info => partitions.fold(info)(n => info.copy(numPartitions = n))),
    eventTimeWatermarkForLateEvents,
    eventTimeWatermarkForEviction,
    stateWatermarkPredicates,
    stateFormatVersion,
    left,
    right,
    outputMode
  )

  override protected def withNewChildrenInternal(l: SparkPlan, r: SparkPlan): HostedExec = copy(
    leftKeys,
    rightKeys,
    joinType,
    condition,
    stateInfo,
    eventTimeWatermarkForLateEvents,
    eventTimeWatermarkForEviction,
    stateWatermarkPredicates,
    stateFormatVersion,
    l,
    r,
    outputMode
  )

  override def canEqual(other: Any): Boolean = other.getClass == getClass

  override def producedAttributes: AttributeSet = AttributeSet.empty

  /** That all rows of an input meet in one task. */
  protected def allTogether: Seq[Distribution] = AllTuples :: AllTuples :: Nil

  final override val stateStoreNames: Seq[String] = Seq(StateStoreId.DEFAULT_STORE_NAME)

  override def operatorStateMetadataVersion: Int = 1

  override def operatorStateMetadata(paths: List[List[String]]): OperatorStateMetadata =
    OperatorStateMetadataV1(
      OperatorInfoV1(getStateInfo.operatorId, shortName),
      stateStoreNames.map(StateStoreMetadataV1(_, 0, getStateInfo.numPartitions)).toArray
    )

  override def validateAndMaybeEvolveStateSchema(
      hadoopConf: Configuration,
      batchId: Long,
      stateSchemaVersion: Int
  ): List[StateSchemaValidationResult] = {
    OperatorSpecFile.check(getStateInfo, specFile, says, hadoopConf, batchId, terms)
    val schema = StateStoreColFamilySchema(
      StateStore.DEFAULT_COL_FAMILY_NAME,
      0,
      keySchema,
      0,
      valueSchema
    )
    List(
      StateSchemaCompatibilityChecker.validateAndMaybeEvolveStateSchema(
        getStateInfo,
        hadoopConf,
        List(schema),
        session.sessionState,
        HostedExec.SchemaVersion
      )
    )
  }

  final protected def stateStoreConf: StateStoreConf =
    new StateStoreConf(session.sessionState.conf)

  final protected def broadcastHadoopConf(): Broadcast[SerializableConfiguration] =
    SerializableConfiguration.broadcast(sparkContext, session.sessionState.newHadoopConf())

  final protected def millisSince(nanos: Long): Long =
    math.max(0L, (System.nanoTime - nanos) / 1000000)

  /** Counts the rows that a task gives, and finishes the batch, once, when there are no more. */
  final protected class Completion(atEnd: () => Unit) {
    private[this] val rowsOut = longMetric("numOutputRows")
    private[this] var count = 0L
    private[this] var isDue = true

    TaskContext.get().addTaskCompletionListener[Unit](_ => rowsOut += count)

    def row(): Unit = count += 1

    def end(): Unit = if (isDue) {
      isDue = false
      atEnd()
    }
  }

  override def customStatefulOperatorMetrics: Seq[StatefulOperatorCustomMetric] =
    counters.map { case (name, says) => StatefulOperatorCustomSumMetric(name, says) }
}

private object HostedExec {

  /** Of the schema file, not of the state. */
  private val SchemaVersion = 2
}

/** What the planner makes of a stateful operator, until the plan is cloned to be prepared for execution: making a
  * [[HostedExec]] takes milliseconds in each batch, for its base class broadcasts a Hadoop configuration, and the planner
  * would make three.
  *
  * @param make
  *   the operator over these inputs
  */
final case class PlannedExec(
    output: Seq[Attribute],
    left: SparkPlan,
    right: SparkPlan,
    make: PlannedExec.Host => HostedExec
) extends BinaryExecNode {
  override def clone(): SparkPlan = {
    val exec = make(PlannedExec.Host(left.clone(), right.clone()))
    exec.copyTagsFrom(this)
    exec
  }

  override protected def doExecute(): RDD[InternalRow] =
    throw new IllegalStateException(
      "the plan was not cloned before it was prepared for execution"
    )

  override protected def withNewChildrenInternal(l: SparkPlan, r: SparkPlan): SparkPlan =
    copy(left = l, right = r)
}

object PlannedExec {

  /** The inputs of an operator, before Spark gives it anything else. */
  final case class Host(left: SparkPlan, right: SparkPlan) {
    val joinType: JoinType = Inner
    val condition: JoinConditionSplitPredicates =
      JoinConditionSplitPredicates(None, None, None, None)
    val predicates: JoinStateWatermarkPredicates = JoinStateWatermarkPredicates()

    /** Of Spark's state of such joins, which is not used. */
    val stateFormat = 2
  }
}

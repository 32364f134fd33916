package org.apache.spark.sql.scalegate.stream

import org.apache.hadoop.conf.Configuration
import org.apache.spark.TaskContext
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{AttributeSet, Expression, Literal}
import org.apache.spark.sql.catalyst.plans.physical.{AllTuples, Distribution, Partitioning}
import org.apache.spark.sql.execution.streaming.state._
import org.apache.spark.sql.execution.{ScalarSubquery, SparkPlan}
import org.apache.spark.sql.scalegate.SparkStreams._
import org.apache.spark.sql.types.StructType
import org.apache.spark.util.SerializableConfiguration

import io.scalegate.spark.checkpoint.CheckpointTerms

/** A stateful operator of this package. Spark plans stateful operators by name and knows no others, so each is a kind
  * of Spark's own stream-stream join. It inherits how Spark tells it where its state lies, the watermarks and the
  * output mode, which is by its `copy`. All that it does is its own.
  *
  * The driver makes one for each batch ([[PlannedExec]]); a [[ReadyExec]] executes it.
  *
  * @param evaluated
  *   the expressions that its tasks evaluate, [[hosted]] from then on. They are one of the node's arguments, so that
  *   Spark's rules find them there: the rule that plans subqueries among them. What travels to the tasks has the values
  *   of subqueries in their places
  */
abstract class HostedExec(args: DonorArgs, evaluated: Seq[Expression])
    extends DonorExec(args, evaluated)
    with StoreMetrics {

  /** Of its state, if it is not for Spark to say how many. */
  protected def partitions: Option[Int]

  /** What EXPLAIN says beside its name. */
  private[scalegate] def parts: Seq[String]

  /** Its rows over these inputs, which are its own as they are executed.
    *
    * @param hosted
    *   its own as they are when it is executed
    */
  private[scalegate] def over(
      left: SparkPlan,
      right: SparkPlan,
      hosted: Seq[Expression]
  ): RDD[InternalRow]

  /** Where they lie. */
  private[scalegate] def partitioningOver(left: SparkPlan, right: SparkPlan): Partitioning

  /** What messages call it, and the file in its checkpoint that holds its terms. */
  protected def operatorName: String
  protected def specFile: String

  /** What a checkpoint must have been made by for this operator to go on with it. */
  protected def terms: CheckpointTerms

  protected def keySchema: StructType
  protected def valueSchema: StructType

  /** What the progress tells beside what it tells of every stateful operator: names and what they mean. */
  protected def counters: Seq[(String, String)]

  final override protected def adjusted(info: StatefulOperatorStateInfo)
      : StatefulOperatorStateInfo =
    partitions.fold(info)(n => info.copy(numPartitions = n))

  final override protected def doExecute(): RDD[InternalRow] =
    over(left, right, HostedExec.answered(hosted))

  final override def outputPartitioning: Partitioning = partitioningOver(left, right)

  override def simpleString(maxFields: Int): String = s"$nodeName ${parts.mkString("; ")}"

  override def verboseStringWithOperatorId(): String =
    HostedExec.verbose(formattedNodeName, parts)

  override def producedAttributes: AttributeSet = AttributeSet.fromAttributeSets(
    hosted.map(_.references)
  ) -- left.outputSet -- right.outputSet

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
    OperatorSpecFile.check(getStateInfo, specFile, operatorName, hadoopConf, batchId, terms)
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
    RunConfiguration(getStateInfo.queryRunId, sparkContext, session.sessionState.newHadoopConf())

  final protected def millisSince(nanos: Long): Long =
    math.max(0L, (System.nanoTime - nanos) / 1000000)

  /** Counts the rows that a task gives, and finishes the batch, once, when there are no more. A limit or a join above
    * may ask for no more before that: then the task does it when it ends, or the next batch would find no state.
    *
    * Made after the state was opened, so that the task ends with it before it lets go of that.
    *
    * @param takeRest
    *   goes through the rows that are left
    */
  final protected class Completion(takeRest: () => Unit, atEnd: () => Unit) {
    private[this] val rowsOut = longMetric("numOutputRows")
    private[this] var count = 0L
    private[this] var isDue = true

    TaskContext.get().addTaskCompletionListener[Unit] { task =>
      rowsOut += count
      if (isDue && !task.isFailed() && !task.isInterrupted()) {
        takeRest()
        end()
      }
    }

    def row(): Unit = count += 1

    def end(): Unit = if (isDue) {
      isDue = false
      atEnd()
    }
  }

  override def customStatefulOperatorMetrics: Seq[StatefulOperatorCustomMetric] =
    counters.map { case (name, meaning) => sumMetric(name, meaning) }
}

private object HostedExec {

  /** Of the schema file, not of the state. */
  private val SchemaVersion = 2

  /** With the values of subqueries, which are known when a node is executed: tasks need no plan. */
  def answered(hosted: Seq[Expression]): Seq[Expression] = hosted.map(_.transform {
    case s: ScalarSubquery => Literal(s.eval(InternalRow.empty), s.dataType)
  })

  def verbose(name: String, parts: Seq[String]): String =
    s"""
       |$name
       |${parts.mkString("\n")}
       |""".stripMargin
}

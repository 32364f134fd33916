package org.apache.spark.sql.scalegate

import org.apache.hadoop.conf.Configuration
import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  AttributeSet,
  Expression,
  UnsafeProjection
}
import org.apache.spark.sql.catalyst.plans.physical.{
  AllTuples,
  Distribution,
  Partitioning,
  SinglePartition,
  UnknownPartitioning
}
import org.apache.spark.sql.catalyst.plans.{Inner, JoinType}
import org.apache.spark.sql.execution.streaming.operators.stateful.join.StreamingSymmetricHashJoinExec
import org.apache.spark.sql.execution.streaming.operators.stateful.join
  .StreamingSymmetricHashJoinHelper.{
  JoinConditionSplitPredicates,
  JoinStateWatermarkPredicates,
  StateStoreAwareZipPartitionsHelper
}
import org.apache.spark.sql.execution.streaming.operators.stateful.{
  StatefulOperatorCustomMetric,
  StatefulOperatorCustomSumMetric,
  StatefulOperatorStateInfo
}
import org.apache.spark.sql.execution.streaming.state._
import org.apache.spark.sql.execution.{BinaryExecNode, SparkPlan}
import org.apache.spark.sql.streaming.OutputMode
import org.apache.spark.util.{CollectionAccumulator, SerializableConfiguration}

import io.scalegate.spark.ScaleGateConf
import io.scalegate.spark.streaming.{
  HotKeyHistory,
  JoinState,
  KeySplitting,
  PartitionReport,
  StreamBatch,
  StreamJoin,
  StreamJoinIterator
}
import io.scalegate.stream.Side

/** The join of two streams over a window. Spark plans stateful operators by name and knows no others, so this one is
  * a kind of Spark's own stream-stream join: what it inherits is how Spark gives it the place of its state and the
  * watermarks, which is by its `copy`. All that it does is its own.
  *
  * Its rows are pairs of rows, each valid until the next is asked for and not in Spark's binary form: a
  * [[io.scalegate.spark.exec.WindowJoinOutputExec]] above makes rows of them.
  *
  * @param leftKeys
  *   by which the inputs are exchanged, as `rightKeys`; none where all rows meet in one task
  * @param join
  *   what is joined, and how
  */
final class StreamingWindowJoinExec(
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
    outputMode: Option[OutputMode],
    val join: StreamJoin
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
  private[this] def single = leftKeys.isEmpty

  override def copy(
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
  ): StreamingWindowJoinExec = new StreamingWindowJoinExec(
    leftKeys,
    rightKeys,
    joinType,
    condition,
    stateInfo.map(info => join.partitions.fold(info)(n => info.copy(numPartitions = n))),
    eventTimeWatermarkForLateEvents,
    eventTimeWatermarkForEviction,
    stateWatermarkPredicates,
    stateFormatVersion,
    left,
    right,
    outputMode,
    join
  )

  override protected def otherCopyArgs: Seq[AnyRef] = join :: Nil

  override def canEqual(other: Any): Boolean = other.isInstanceOf[StreamingWindowJoinExec]

  override protected def withNewChildrenInternal(
      l: SparkPlan,
      r: SparkPlan
  ): StreamingWindowJoinExec = copy(
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

  override def nodeName: String = "StreamingWindowJoin"
  override def shortName: String = StreamingWindowJoinExec.Name
  override def simpleString(maxFields: Int): String =
    s"$nodeName ${join.probing.name}, ${join.description}"
  override def verboseStringWithOperatorId(): String =
    s"""
       |$formattedNodeName
       |${join.probing.name}
       |${join.description.replace("; ", "\n")}
       |""".stripMargin

  private[this] def leftColumns = join.joined(left.output)
  private[this] def rightColumns = join.joined(right.output)

  override def output: Seq[Attribute] = join.probing.columns(leftColumns, rightColumns)
  override def producedAttributes: AttributeSet = AttributeSet.empty

  override def requiredChildDistribution: Seq[Distribution] =
    if (single) AllTuples :: AllTuples :: Nil else super.requiredChildDistribution

  override def outputPartitioning: Partitioning =
    if (single) SinglePartition
    else if (join.cells.nonEmpty || join.splitting.nonEmpty)
      UnknownPartitioning(left.outputPartitioning.numPartitions)
    else join.probing.partitioning(left.outputPartitioning, right.outputPartitioning)

  override val stateStoreNames: Seq[String] = Seq(StateStoreId.DEFAULT_STORE_NAME)

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
    JoinSpecFile.check(getStateInfo, hadoopConf, batchId, join.spec(leftColumns, rightColumns))
    val schema = StateStoreColFamilySchema(
      StateStore.DEFAULT_COL_FAMILY_NAME,
      0,
      ChunkStateStore.KeySchema,
      0,
      ChunkStateStore.valueSchema(leftColumns, rightColumns)
    )
    List(
      StateSchemaCompatibilityChecker.validateAndMaybeEvolveStateSchema(
        getStateInfo,
        hadoopConf,
        List(schema),
        session.sessionState,
        SchemaVersion
      )
    )
  }

  override def shouldRunAnotherBatch(newInputWatermark: Long): Boolean =
    eventTimeWatermarkForEviction.exists(newInputWatermark > _)

  /** The least event time that a row may still come with, in either of its event times. */
  override def produceOutputWatermark(inputWatermarkMs: Long): Option[Long] =
    Some(join.outputWatermark(inputWatermarkMs))

  override def customStatefulOperatorMetrics: Seq[StatefulOperatorCustomMetric] =
    StreamingWindowJoinExec.Counters.map { case (name, says) =>
      StatefulOperatorCustomSumMetric(name, says)
    }

  override protected def doExecute(): RDD[InternalRow] = {
    metrics
    val info = getStateInfo
    val task = join.task(leftColumns, rightColumns)
    val access = new ChunkStateStores(
      info,
      ChunkStateStore.valueSchema(leftColumns, rightColumns),
      new StateStoreConf(session.sessionState.conf),
      SerializableConfiguration.broadcast(sparkContext, session.sessionState.newHadoopConf())
    )
    val lateRows = ScaleGateConf.lateRows(conf).map { directory =>
      val columns = (join.visible(leftColumns), join.visible(rightColumns))
      new LateRowFiles(directory, info.operatorId, columns, access.hadoopConf, conf)
    }
    val batch = StreamJoin.batch(
      info.storeVersion,
      eventTimeWatermarkForLateEvents,
      eventTimeWatermarkForEviction
    )
    val split = join.splitting.map(begin(_, batch, access.hadoopConf.value.value))
    val (ofLeft, ofRight) = (
      StreamingWindowJoinExec.columns(left, leftColumns),
      StreamingWindowJoinExec.columns(right, rightColumns)
    )
    ofLeft.stateStoreAwareZipPartitions(
      ofRight,
      info,
      stateStoreNames,
      session.sessionState.streamingQueryManager.stateStoreCoordinator
    ) { (partition: Int, l: Iterator[InternalRow], r: Iterator[InternalRow]) =>
      val started = System.nanoTime
      val store = access.open(partition)
      val (held, rebuilt) = access.held(store, task)
      if (rebuilt) longMetric("rebuilds") += 1
      val late = lateRows.map(_.open(batch.number, partition))
      val context = TaskContext.get()
      val rows = task.join(
        l,
        r,
        batch,
        held,
        store,
        side => row => late.foreach(_.add(side, row)),
        () => TaskAccess.stopIfKilled(context)
      )
      context.addTaskCompletionListener[Unit](_ => rows.close())
      new CompletedPairs(
        rows,
        () => {
          longMetric("allUpdatesTimeMs") += millisSince(started)
          late.foreach(_.close())
          val state = finish(access, store, rows)
          split.foreach(_.add(PartitionReport(
            partition,
            state.latest(Side.R),
            state.latest(Side.S),
            rows.comparisons
          )))
        }
      )
    }
  }

  private[this] def finish(
      access: ChunkStateStores,
      store: ChunkStateStore,
      rows: StreamJoinIterator
  ): JoinState = {
    val removing = System.nanoTime
    val state = rows.finish()
    longMetric("allRemovalsTimeMs") += millisSince(removing)
    val committing = System.nanoTime
    access.commit(store, state)
    longMetric("commitTimeMs") += millisSince(committing)
    longMetric("numRowsDroppedByWatermark") += rows.dropped
    longMetric("numUpdatedStateRows") += rows.added
    longMetric("comparisons") += rows.comparisons
    longMetric("leftStateRows") += state.leftRows
    longMetric("rightStateRows") += state.rightRows
    longMetric("leftStateBytes") += state.leftBytes
    longMetric("rightStateBytes") += state.rightBytes
    report(store, state.leftRows + state.rightRows, state.leftBytes + state.rightBytes)
    state
  }

  /** Says how the batch's rows are shared, before the inputs are executed; gives what the partitions report to. */
  private[this] def begin(
      splitting: KeySplitting,
      batch: StreamBatch,
      hadoopConf: Configuration
  ): CollectionAccumulator[PartitionReport] = {
    val info = getStateInfo
    val history = HotKeyHistories.of(info, session) {
      val retained = conf.minBatchesToRetain
      val store = new HotKeyFiles(info, hadoopConf, retained)
      new HotKeyHistory(store, join.window, join.single, info.numPartitions)
    }
    val begun = history.begin(batch, ScaleGateConf.splitHotKeys(conf), sparkContext)
    splitting.begin(begun)
    longMetric("hotKeys") += begun.hot.keys.size
    begun.reports
  }

  private[this] def report(store: ChunkStateStore, rows: Long, bytes: Long): Unit = {
    val ofStore = store.state.metrics
    longMetric("numTotalStateRows") += rows
    longMetric("stateMemory") += bytes + ofStore.memoryUsedBytes
    setStoreCustomMetrics(ofStore.customMetrics)
    setStoreInstanceMetrics(ofStore.instanceMetrics)
    setOperatorMetrics()
    store.checkpointInfo.foreach(setStateStoreCheckpointInfo)
  }

  private[this] def millisSince(nanos: Long): Long =
    math.max(0L, (System.nanoTime - nanos) / 1000000)

  /** Of the schema file, not of the state. */
  private[this] val SchemaVersion = 2

  /** Gives the pairs, counts them, and finishes the batch when there are no more. */
  final private[this] class CompletedPairs(pairs: StreamJoinIterator, atEnd: () => Unit)
      extends Iterator[InternalRow] {
    private[this] val rowsOut = longMetric("numOutputRows")
    private[this] var count = 0L
    private[this] var ended = false

    TaskContext.get().addTaskCompletionListener[Unit](_ => rowsOut += count)

    def hasNext: Boolean = {
      val more = pairs.hasNext
      if (!more && !ended) {
        ended = true
        atEnd()
      }
      more
    }

    def next(): InternalRow = {
      count += 1
      pairs.next()
    }
  }
}

object StreamingWindowJoinExec {

  /** What the operator is called in a query's progress and in its checkpoint. */
  val Name = "windowJoin"

  /** What the progress tells beside what it tells of every stateful operator. */
  val Counters: Seq[(String, String)] = Seq(
    "comparisons" -> "comparisons",
    "leftStateRows" -> "state rows of the left side",
    "rightStateRows" -> "state rows of the right side",
    "leftStateBytes" -> "state bytes of the left side's rows",
    "rightStateBytes" -> "state bytes of the right side's rows",
    "rebuilds" -> "tasks that read their state from the checkpoint",
    "hotKeys" -> "keys that several partitions share"
  )

  /** An input's rows without their cells. */
  private def columns(input: SparkPlan, wanted: Seq[Attribute]): RDD[InternalRow] = {
    val present = input.output
    if (present.length == wanted.length) input.execute()
    else
      input.execute().mapPartitions { rows =>
        val project = UnsafeProjection.create(wanted, present)
        rows.map(project)
      }
  }
}

/** What the planner makes of a join of two streams, until the plan is cloned to be prepared for execution: making a
  * [[StreamingWindowJoinExec]] takes milliseconds in each batch, for its base class broadcasts a Hadoop configuration,
  * and the planner would make three.
  */
final case class PlannedStreamingJoin(
    join: StreamJoin,
    leftKeys: Seq[Expression],
    rightKeys: Seq[Expression],
    left: SparkPlan,
    right: SparkPlan
) extends BinaryExecNode {
  override def output: Seq[Attribute] =
    join.probing.columns(join.joined(left.output), join.joined(right.output))

  override def clone(): SparkPlan = {
    val exec = new StreamingWindowJoinExec(
      leftKeys.map(TaskAccess.normalized),
      rightKeys.map(TaskAccess.normalized),
      Inner,
      JoinConditionSplitPredicates(None, None, None, None),
      None,
      None,
      None,
      JoinStateWatermarkPredicates(),
      2,
      left.clone(),
      right.clone(),
      None,
      join
    )
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

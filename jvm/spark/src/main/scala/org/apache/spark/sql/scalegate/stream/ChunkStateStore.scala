package org.apache.spark.sql.scalegate.stream

import java.util.concurrent.TimeUnit

import org.apache.spark.TaskContext
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.execution.streaming.state._
import org.apache.spark.sql.scalegate.SparkStreams
import org.apache.spark.sql.scalegate.SparkStreams._
import org.apache.spark.sql.types._
import org.apache.spark.util.{SerializableConfiguration, ThreadUtils}

import io.scalegate.spark.join.stream.state.{Chunk, ChunkKey, ChunkStore, HeldState, LiveStates}
import io.scalegate.spark.join.stream.task.StreamTask
import io.scalegate.spark.settings.Errors

/** A partition's chunks in one of Spark's state stores, whatever its provider. Opened by a task for one batch; one
  * thread.
  */
final private[scalegate] class ChunkStateStore(val state: StateStore, valueSchema: StructType)
    extends ChunkStore {
  private[this] val keyOf = UnsafeProjection.create(ChunkStateStore.KeySchema)
  private[this] val valueOf = UnsafeProjection.create(valueSchema)

  def put(chunk: Chunk): Unit =
    state.put(
      row(chunk.key),
      valueOf(InternalRow(chunk.latest, chunk.count, chunk.content, null, null))
    )

  def remove(key: ChunkKey): Unit = state.remove(row(key))

  /** @throws SparkException
    *   where the store holds rows of another operator, whose bytes must not be taken for an address and a length
    */
  def chunks: Iterator[Chunk] = state.iterator().map { pair =>
    val (key, value) = (pair.key, pair.value)
    if (key.getSizeInBytes != ChunkStateStore.KeyBytes || !isWithin(value, 2))
      throw Errors.stateOfAnother(state.id.toString)
    Chunk(
      ChunkKey(key.getInt(0), key.getLong(1), key.getInt(2)),
      value.getLong(0),
      value.getLong(1),
      value.getBinary(2)
    )
  }

  /** Whether a binary column's bytes are the row's. */
  private[this] def isWithin(row: UnsafeRow, column: Int): Boolean = {
    val fixed = UnsafeRow.calculateBitSetWidthInBytes(row.numFields) + 8 * row.numFields
    row.getSizeInBytes >= fixed && {
      val (from, length) = ((row.getLong(column) >>> 32).toInt, row.getLong(column).toInt)
      from >= fixed && length >= 0 && from.toLong + length <= row.getSizeInBytes
    }
  }

  private[this] def row(key: ChunkKey) = keyOf(InternalRow(key.kind, key.batch, key.part))

  /** What the driver is told of the commit. */
  def checkpointInfo: Option[StatefulOpStateStoreCheckpointInfo] =
    Option(state.getStateStoreCheckpointInfo()).map { info =>
      StatefulOpStateStoreCheckpointInfo(
        info.partitionId,
        info.batchVersion,
        info.stateStoreCkptId.map(Array(_)),
        info.baseStateStoreCkptId.map(Array(_))
      )
    }
}

private[scalegate] object ChunkStateStore {
  val KeySchema: StructType = new StructType()
    .add("kind", IntegerType, nullable = false)
    .add("batch", LongType, nullable = false)
    .add("part", IntegerType, nullable = false)

  private val KeyBytes =
    UnsafeRow.calculateBitSetWidthInBytes(KeySchema.size) + 8 * KeySchema.size

  /** The last two columns are always NULL: by them Spark notices, and refuses, that an input's columns are others than
    * those of the rows in the checkpoint.
    */
  def valueSchema(left: Seq[Attribute], right: Seq[Attribute]): StructType = {
    def columns(attributes: Seq[Attribute]) =
      StructType(attributes.map(a => StructField(a.name, a.dataType)))
    new StructType()
      .add("latest", LongType, nullable = false)
      .add("count", LongType, nullable = false)
      .add("content", BinaryType, nullable = false)
      .add("left", columns(left))
      .add("right", columns(right))
  }
}

/** Opens the stores of an operator's partitions, at the version that its batch starts from. The driver makes it for a
  * batch; it travels to the tasks, and never changes.
  */
final private[scalegate] class OperatorStores(
    info: StatefulOperatorStateInfo,
    keySchema: StructType,
    valueSchema: StructType,
    conf: StateStoreConf,
    hadoopConf: Broadcast[SerializableConfiguration]
) extends Serializable {
  def id(partition: Int): StateStoreProviderId = StateStoreProviderId(
    StateStoreId(info.checkpointLocation, info.operatorId, partition),
    info.queryRunId
  )

  def checkpoint(partition: Int): Option[String] =
    info.getStateStoreCkptId(partition).map(_.head)

  /** Within the running task, at whose end what was not committed is undone. */
  def open(partition: Int): StateStore = {
    val store = StateStore.get(
      id(partition),
      keySchema,
      valueSchema,
      NoPrefixKeyStateEncoderSpec(keySchema),
      info.storeVersion,
      checkpoint(partition),
      None,
      useColumnFamilies = false,
      conf,
      hadoopConf.value.value
    )
    TaskContext.get().addTaskCompletionListener[Unit](_ => if (!store.hasCommitted) store.abort())
    store
  }
}

/** The stores of chunks of an operator, and the states that this JVM holds of its partitions. The driver makes it for a
  * batch; it travels to the tasks, and never changes.
  */
final private[scalegate] class ChunkStateStores(
    info: StatefulOperatorStateInfo,
    valueSchema: StructType,
    conf: StateStoreConf,
    hadoopConf: Broadcast[SerializableConfiguration]
) extends Serializable {
  import ChunkStateStores.Live

  private[this] val stores =
    new OperatorStores(info, ChunkStateStore.KeySchema, valueSchema, conf, hadoopConf)

  private[this] def id(partition: Int) = stores.id(partition)

  private[this] def checkpoint(partition: Int) = stores.checkpoint(partition)

  def open(partition: Int): ChunkStateStore =
    new ChunkStateStore(stores.open(partition), valueSchema)

  /** What the partition holds, and whether it had to be read from the checkpoint. */
  def held(store: ChunkStateStore, task: StreamTask): (HeldState, Boolean) = {
    val partition = store.state.id.partitionId
    if (info.storeVersion == 0) (task.empty, false)
    else
      Live.get(id(partition), info.storeVersion, checkpoint(partition)) match {
        case Some(state) => (state, false)
        case None => (task.restored(store), true)
      }
  }

  def commit(store: ChunkStateStore, state: HeldState): Unit = {
    val version = store.state.commit()
    val checkpoint = store.state.getStateStoreCheckpointInfo().stateStoreCkptId
    Live.put(id(store.state.id.partitionId), version, checkpoint, state)
  }
}

private object ChunkStateStores {

  /** What this JVM holds; a partition's state goes when Spark has unloaded its store, after the query has ended or
    * when another executor has the partition.
    */
  lazy val Live: LiveStates[StateStoreProviderId] = {
    val live = new LiveStates[StateStoreProviderId]
    SparkStreams.account("windows of streaming joins", () => live.memory)
    ThreadUtils
      .newDaemonSingleThreadScheduledExecutor("scalegate-live-states")
      .scheduleWithFixedDelay(
        () => live.retain(StateStore.isLoaded),
        SweepSeconds,
        SweepSeconds,
        TimeUnit.SECONDS
      )
    live
  }

  private[this] val SweepSeconds = 30L
}

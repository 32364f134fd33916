package io.scalegate.spark.join.stream.task

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import io.scalegate.spark.join.stream.state.ChunkStore
import io.scalegate.stream.Side

/** What a join of two streams uses of the task that runs it, for one batch of one partition. The task's thread calls it.
  *
  * @param store
  *   of the partition's checkpoint
  * @param keepLate
  *   is given each row that is too late
  * @param waiting
  *   called now and then while pairs are looked for; may throw
  */
final case class BatchServices(
    store: ChunkStore,
    keepLate: Side => UnsafeRow => Unit,
    waiting: () => Unit
)

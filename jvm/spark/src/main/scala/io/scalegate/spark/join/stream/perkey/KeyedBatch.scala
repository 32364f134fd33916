package io.scalegate.spark.join.stream.perkey

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import io.scalegate.spark.join.RowAddress
import io.scalegate.spark.join.stream.state.Chunk
import io.scalegate.spark.join.stream.task.{BatchPairs, BatchServices, StreamBatch}
import io.scalegate.stream.{Side, Sides}

/** The rows that one batch adds to a join that holds the rows of each key apart, in one partition, one step at a time. One
  * thread, the task's.
  *
  * @param before
  *   what was held; nothing of it is changed
  */
abstract private[scalegate] class KeyedBatch(
    arrivals: Sides[KeyedArrivals],
    before: KeyedState,
    batch: StreamBatch,
    services: BatchServices
) extends BatchPairs(
      new RowAddress(arrivals.left.columns),
      new RowAddress(arrivals.right.columns)
    ) {
  private[this] var ready = false

  /** One pair that is tested, or one row, either of which may be given; false when there are no more of both. */
  protected def step(): Boolean

  /** What is held when all rows were taken. */
  protected def held(): KeyedState

  final def added: Long = arrivals.left.now.size.toLong + arrivals.right.now.size

  final def dropped: Long = arrivals.left.dropped + arrivals.right.dropped

  final def close(): Unit = ()

  final def advance(): Boolean = {
    ready = false
    while (!ready && step()) ()
    ready
  }

  final def finish(): KeyedState = {
    require(!hasNext, "a batch is finished when all of its rows were taken")
    if (batch.watermark != before.watermark)
      services.store.put(Chunk.ofWatermark(batch.watermark))
    held()
  }

  final protected def give(left: UnsafeRow, right: UnsafeRow): Unit = {
    ready = true
    leftAddress.set(left)
    rightAddress.set(right)
  }

  final protected def giveUnmatched(side: Side, row: UnsafeRow): Unit = {
    ready = true
    val isLeft = side eq Side.R
    (if (isLeft) leftAddress else rightAddress).set(row)
    (if (isLeft) rightAddress else leftAddress).setNulls()
  }
}

package io.scalegate.spark.join.stream.state

import io.scalegate.stream.Side

/** Where a partition's checkpoint lies. A task has one for a batch, in one thread: what it puts and removes shows with
  * the commit, or never.
  */
trait ChunkStore {
  def put(chunk: Chunk): Unit
  def remove(key: ChunkKey): Unit

  /** All entries, in no order. */
  def chunks: Iterator[Chunk]

  /** Puts chunks of one side, and gives those that the caller has to remove when they are of no use any more, with the
    * latest time of each.
    */
  def add(chunks: Seq[Chunk]): Vector[(ChunkKey, Long)] = {
    chunks.foreach(put)
    chunks.iterator.map(c => c.key -> c.latest).toVector
  }

  /** So many rows of a side have a number in this batch. */
  def name(side: Side, rows: Int): Unit = ()

  /** Entries of this side about no row whose time is above this are of no use any more. Those that [[add]] gave to the
    * caller are left to it.
    */
  def evict(side: Side, upTo: Long): Unit = ()
}

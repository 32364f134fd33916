package io.scalegate.spark.join.stream.state

/** Where a partition's checkpoint lies. A task has one for a batch, in one thread: what it puts and removes shows with
  * the commit, or never.
  */
trait ChunkStore {
  def put(chunk: Chunk): Unit
  def remove(key: ChunkKey): Unit

  /** All entries, in no order. */
  def chunks: Iterator[Chunk]
}

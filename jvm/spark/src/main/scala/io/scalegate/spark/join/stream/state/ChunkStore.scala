package io.scalegate.spark.join.stream.state

/** Where a partition's checkpoint lies: what is put and removed shows with the commit, or never. */
trait ChunkStore {
  def put(chunk: Chunk): Unit
  def remove(key: ChunkKey): Unit

  /** All entries, in no order. */
  def chunks: Iterator[Chunk]
}

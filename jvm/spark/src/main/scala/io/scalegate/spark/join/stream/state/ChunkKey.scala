package io.scalegate.spark.join.stream.state

/** Names an entry of a partition's checkpoint.
  *
  * @param kind
  *   one of those in [[Chunk]]
  * @param batch
  *   that wrote it
  * @param part
  *   counts the entries of a kind and batch
  */
final case class ChunkKey(kind: Int, batch: Long, part: Int)

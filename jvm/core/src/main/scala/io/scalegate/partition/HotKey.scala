package io.scalegate.partition

/** A key and the ids of its slices' cells, at least one. */
final case class HotKey(key: Long, cells: Array[Long]) {
  require(cells.nonEmpty, s"key $key has no cell")
}

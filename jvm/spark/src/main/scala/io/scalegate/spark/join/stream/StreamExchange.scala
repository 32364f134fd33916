package io.scalegate.spark.join.stream

import io.scalegate.spark.join.stream.hotkeys.HotKeySplitting

/** Where the rows of a join of two streams meet; by keys, if nothing else is said.
  *
  * @param cells
  *   if the rows are exchanged by cells, which mean nothing to other operators
  * @param splitting
  *   if the rows are exchanged by cells of which the join takes no notice, for the sake of hot keys
  * @param partitions
  *   of both inputs, if it is not for Spark to say how many
  */
final case class StreamExchange(
    cells: Option[StreamCells] = None,
    splitting: Option[HotKeySplitting] = None,
    partitions: Option[Int] = None
)

package io.scalegate.matrix.cube

import io.scalegate.stream.StreamTuple

/** A triple that matched. Its time is the latest tuple's. */
final class CubeResult private[matrix] (
    val r: StreamTuple,
    val s: StreamTuple,
    val t: StreamTuple,
    val latest: StreamTuple,
    val middle: StreamTuple,
    val earliest: StreamTuple
) {
  def ts: Long = latest.ts
  override def toString: String = s"($latest, $middle, $earliest)"
}

package io.scalegate.join

import io.scalegate.stream.StreamTuple

/** A pair that matched. Its time is the later tuple's. */
final class JoinResult(val later: StreamTuple, val earlier: StreamTuple) {
  def ts: Long = later.ts
  def r: StreamTuple = if (later.side eq io.scalegate.stream.Side.R) later else earlier
  def s: StreamTuple = if (later.side eq io.scalegate.stream.Side.R) earlier else later
  override def toString: String = s"($later, $earlier)"
}

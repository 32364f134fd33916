package io.scalegate.join

import io.scalegate.stream.StreamTuple

/** Decides a candidate pair that the window, the keys and the bands let through.
  *
  * One instance serves one thread, so an implementation may keep buffers. It may throw; the exception
  * ends the operator and reaches its caller unchanged.
  */
trait PairPredicate {
  def matches(r: StreamTuple, s: StreamTuple): Boolean
}

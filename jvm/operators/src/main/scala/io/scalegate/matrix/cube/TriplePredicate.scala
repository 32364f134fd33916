package io.scalegate.matrix.cube

import io.scalegate.stream.StreamTuple

/** Decides a triple that windows and bands let through. One instance serves one thread. */
trait TriplePredicate {
  def matches(r: StreamTuple, s: StreamTuple, t: StreamTuple): Boolean
}

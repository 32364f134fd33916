package io.scalegate.matrix.cube

import io.scalegate.stream.TupleSource

/** Where a physical stream enters a join of three. */
trait CubeSource extends TupleSource {

  /** The logical stream that it belongs to. */
  def stream: CubeStream
}

package io.scalegate.matrix.cube

import io.scalegate.stream.TimeWindow

/** What a result asks of two of its three tuples `x` and `y`: `y.ts ∈ [x.ts + lower, x.ts +
  * upper]`, and every band.
  */
final case class CubePair(window: TimeWindow, bands: IndexedSeq[CubeBand] = Vector.empty)

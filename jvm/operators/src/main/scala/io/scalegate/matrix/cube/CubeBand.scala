package io.scalegate.matrix.cube

import io.scalegate.band.Band

/** `y ∈ [x + lower, x + upper]` on the attribute `first` of a pair's first stream (`x`) and the
  * attribute `second` of its second (`y`), by number.
  */
final case class CubeBand(first: Int, second: Int, band: Band) {
  require(first >= 0 && second >= 0, s"attributes are numbered from 0, unlike $first and $second")
}

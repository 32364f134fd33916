package io.scalegate.spark.bounds

import io.scalegate.band.Rounding

/** Where a difference of two attributes lies.
  *
  * @param rounding
  *   by how much the difference of floating-point numbers may lie outside, for what Spark rounds
  * @param circular
  *   whether the difference is one of dates in 32 bits, which wraps around
  */
final case class DifferenceRange(
    lower: BigDecimal,
    upper: BigDecimal,
    rounding: Rounding = Rounding.None,
    circular: Boolean = false
)

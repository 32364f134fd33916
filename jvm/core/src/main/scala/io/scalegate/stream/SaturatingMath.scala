package io.scalegate.stream

/** Sums and differences of times, which stay at the end of `Long` that they would pass. */
object SaturatingMath {

  def add(a: Long, b: Long): Long = {
    val sum = a + b
    if (((a ^ sum) & (b ^ sum)) >= 0) sum else if (a < 0) Long.MinValue else Long.MaxValue
  }

  def subtract(a: Long, b: Long): Long = {
    val difference = a - b
    if (((a ^ b) & (a ^ difference)) >= 0) difference
    else if (a < 0) Long.MinValue
    else Long.MaxValue
  }
}

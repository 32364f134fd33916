package io.scalegate.spark.streaming

import io.scalegate.stream.Side

/** The bound between the event times of both sides, in microseconds: what lets a row go once the watermark has
  * passed everything that it may match.
  *
  * @param key
  *   which of the bounded attributes the time is
  * @param lower
  *   the right row's time is at least the left one's and this; `upper` likewise
  */
final case class StreamTime(key: Int, lower: Long, upper: Long) {

  /** The greatest time of a row of this side that matches no row whose time is above the watermark. */
  def expired(side: Side, watermark: Long): Long =
    if (side eq Side.R) minus(watermark, upper) else plus(watermark, lower)

  private[this] def minus(a: Long, b: Long): Long = {
    val d = a - b
    if (((a ^ b) & (a ^ d)) >= 0) d else if (a < 0) Long.MinValue else Long.MaxValue
  }

  private[this] def plus(a: Long, b: Long): Long = {
    val sum = a + b
    if (((a ^ sum) & (b ^ sum)) >= 0) sum else if (a < 0) Long.MinValue else Long.MaxValue
  }
}

package io.scalegate.spark.join.stream.realtime

import java.nio.ByteBuffer
import java.util.Arrays

import org.HdrHistogram.Histogram

/** Latencies in microseconds, of which percentiles are asked for: an HdrHistogram of two significant digits, up to an
  * hour. What is longer counts as an hour, what is negative, by clocks that differ, as none. One thread.
  */
final class Latencies {
  import Latencies._

  private[this] val histogram = new Histogram(1, Most, Digits)

  def record(micros: Long): Unit = histogram.recordValue(math.max(0, math.min(Most, micros)))

  /** As it travels to the driver: some hundred bytes. */
  def encoded: Array[Byte] = {
    val buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity)
    Arrays.copyOf(buffer.array, histogram.encodeIntoCompressedByteBuffer(buffer))
  }
}

object Latencies {

  /** An hour. */
  private val Most = 3600L * 1000 * 1000

  private val Digits = 2

  /** Percentiles of several tasks' latencies as if they were one's; None where nothing was recorded.
    *
    * @return
    *   the median, the 90th and 99th percentile and the greatest, in microseconds
    */
  def percentiles(encoded: Iterable[Array[Byte]]): Option[Seq[Long]] = {
    val all = new Histogram(1, Most, Digits)
    encoded.foreach { one =>
      all.add(Histogram.decodeFromCompressedByteBuffer(ByteBuffer.wrap(one), Most))
    }
    Option.when(all.getTotalCount > 0)(
      Seq(50.0, 90.0, 99.0, 100.0).map(all.getValueAtPercentile)
    )
  }
}

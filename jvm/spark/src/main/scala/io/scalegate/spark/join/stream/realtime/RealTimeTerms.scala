package io.scalegate.spark.join.stream.realtime

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.EventTimeWatermark

import io.scalegate.stream.{SaturatingMath, Sides}

/** What a join in Real-Time Mode goes by beside its terms. The rows of its inputs have three columns more, which
  * [[ProgressExec]] adds: the cell that they are exchanged by, what they come of, and when they were read.
  *
  * @param delays
  *   how far rows of one source may come out of order, of each side, in microseconds: that of its watermark
  * @param idleNanos
  *   a source that has sent nothing for so long is not waited for; 0 if each is
  */
final case class RealTimeTerms(delays: Sides[Long], idleNanos: Long)

object RealTimeTerms {

  /** Columns that the inputs have more. */
  val Columns = 3

  /** The delay of a column that has a watermark, in microseconds. */
  def delayOf(time: Attribute): Long =
    Math.multiplyExact(time.metadata.getLong(EventTimeWatermark.delayKey), 1000L)

  /** What a source promises that has come to this event time. */
  def promised(latest: Long, delay: Long): Long = SaturatingMath.subtract(latest, delay)
}

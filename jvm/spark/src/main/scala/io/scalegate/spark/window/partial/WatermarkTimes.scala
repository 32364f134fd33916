package io.scalegate.spark.window.partial

import java.util.concurrent.atomic.AtomicReference

import org.apache.spark.sql.scalegate.SparkStreams.EventTimeStatsAccum

/** Where the times of a batch that a watermark is made of are observed: by one accumulator for all parts of a union,
  * since Spark reports the times of one. Thread-safe; of use within the driver, though plans may travel with it.
  */
final private[scalegate] class WatermarkTimes extends Serializable {
  @transient private[this] val used = new AtomicReference[EventTimeStatsAccum]

  /** Offers an accumulator that Spark reads; the first is used. */
  def offer(accumulator: EventTimeStatsAccum): Unit = {
    used.compareAndSet(null, accumulator)
    ()
  }

  /** The one that is used; while there is none, one that nobody reads. */
  def accumulator: EventTimeStatsAccum = Option(used.get).getOrElse(new EventTimeStatsAccum)

  /** As EXPLAIN shows it. */
  override def toString: String = "for the watermark above"
}

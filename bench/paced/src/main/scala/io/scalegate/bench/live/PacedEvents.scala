package io.scalegate.bench.live

import java.util.concurrent.locks.LockSupport

import scala.util.Random

/** An event of the live bench.
  *
  * @param due
  *   when it was to come, of `System.nanoTime`: latencies count from then, so that a feed which is held up hides nothing
  * @param ts
  *   its event time, the same moment in milliseconds since the epoch
  */
final case class LiveEvent(ts: Long, k: Int, x: Int, y: Float, due: Long)

/** One of two streams at a steady rate: keys as many as give a row one partner in ten seconds, two attributes from 1 to
  * 10,000.
  *
  * @param perSecond
  *   events of this stream
  * @param before
  *   events that were due before it begins, and come at once
  */
final class PacedEvents(seed: Int, perSecond: Int, before: Long) {
  private[this] val random = new Random(seed)
  private[this] val keys = perSecond * 10

  /** Gives events, each when it is due, until there are to be no more. */
  def run(isOn: () => Boolean)(give: LiveEvent => Unit): Unit = {
    val (start, clock) = (System.nanoTime, System.currentTimeMillis)
    var i = -before
    while (isOn()) {
      val after = i * 1000000000L / perSecond
      while (isOn() && System.nanoTime < start + after)
        LockSupport.parkNanos(start + after - System.nanoTime)
      give(LiveEvent(
        clock + Math.floorDiv(after, 1000000L),
        random.nextInt(keys),
        1 + random.nextInt(PacedEvents.Range),
        1 + random.nextFloat() * PacedEvents.Range,
        start + after
      ))
      i += 1
    }
  }

  /** Does so by a thread of its own. */
  def start(isOn: () => Boolean)(give: LiveEvent => Unit): Unit = {
    val feeding = new Thread(() => run(isOn)(give))
    feeding.setDaemon(true)
    feeding.start()
  }
}

object PacedEvents {
  private[live] val Range = 10000

  private[this] val (nanosAtStart, millisAtStart) = (System.nanoTime, System.currentTimeMillis)

  /** What `System.nanoTime` is at a moment in milliseconds since the epoch. */
  def nanosAt(millis: Long): Long = nanosAtStart + (millis - millisAtStart) * 1000000L
}

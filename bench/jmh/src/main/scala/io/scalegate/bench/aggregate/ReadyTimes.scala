package io.scalegate.bench.aggregate

import java.util.concurrent.atomic.AtomicLongArray

import io.scalegate.stream.{SlidingWindows, StreamTuple}

/** When each window's results became ready: the latest, over the inputs, of the arrivals of an
  * input's first tuple behind the window, or of its end. Each input's thread tells of its own,
  * before it delivers.
  *
  * @param latest
  *   the last time of all tuples; the first is no earlier than 0
  */
final class ReadyTimes(windows: SlidingWindows, inputs: Int, latest: Long) {
  private[this] val base = number(windows.first(0))
  private[this] val times = new AtomicLongArray((number(windows.last(latest)) - base + 1).toInt)
  private[this] val next = new Array[Int](inputs * ReadyTimes.Apart)
  private[this] val ends = Array.fill(inputs * ReadyTimes.Apart)(windows.end(windows.first(0)))

  /** A tuple or a promise of the input arrived at that moment. */
  def arrived(input: Int, ts: Long, nanos: Long): Unit = {
    val i = input * ReadyTimes.Apart
    while (ends(i) < ts && next(i) < times.length) {
      times.accumulateAndGet(next(i), nanos, math.max(_, _))
      next(i) += 1
      ends(i) += windows.advance
    }
  }

  /** Whether a tuple of that time is the input's first behind some window. */
  def isNews(input: Int, ts: Long): Boolean = ends(input * ReadyTimes.Apart) < ts

  /** When the window's results became ready. After they have. */
  def of(start: Long): Long = times.get((number(start) - base).toInt)

  private[this] def number(start: Long): Long = Math.floorDiv(start, windows.advance)
}

object ReadyTimes {
  private val Apart = 16 // inputs' own numbers, on cache lines of their own

  def apply(windows: SlidingWindows, inputs: Int, data: Iterable[StreamTuple]): ReadyTimes =
    new ReadyTimes(windows, inputs, data.iterator.map(_.ts).max)
}

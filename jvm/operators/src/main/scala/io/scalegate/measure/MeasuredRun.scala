package io.scalegate.measure

import org.HdrHistogram.Histogram

import io.scalegate.join.{JoinMetrics, JoinResult, JoinSource, RunningJoin}
import io.scalegate.stream.{IdleStrategy, Lifecycle, Side, StreamTuple}

/** A join under way whose results' latencies are recorded. */
final class MeasuredRun private[scalegate] (join: RunningJoin) extends RunningJoin {
  /*
   * The arrival is a plain field of the tuple. A source's thread writes it before it delivers the tuple, and
   * the consumer reads it after it has taken a result with that tuple; the join between the two publishes the
   * tuple with all its fields. Only the consumer writes the histogram.
   */
  private[this] val recorded = new Histogram(MeasuredRun.Digits)

  val sources: IndexedSeq[JoinSource] = join.sources.map(new Arrivals(_))

  def poll(): JoinResult = {
    val result = join.poll()
    if (result != null) {
      val nanos = System.nanoTime() - result.later.arrival
      recorded.recordValue(math.max(0L, nanos))
    }
    result
  }

  /** Latencies of the results so far, in nanoseconds. Of the consumer's thread alone. */
  def latency: Histogram = recorded.copy()

  def isDone: Boolean = join.isDone
  def frontier: Long = join.frontier
  def metrics: JoinMetrics = join.metrics
  def close(): Unit = join.close()
  private[scalegate] def ending: Lifecycle = join.ending

  final private[this] class Arrivals(source: JoinSource) extends JoinSource {
    private[this] var offered: StreamTuple = _ // refused before, and stamped then

    def side: Side = source.side
    def id: Int = source.id

    def canAdd(t: StreamTuple): Boolean = {
      stamp(t)
      source.canAdd(t)
    }

    def tryAdd(t: StreamTuple): Boolean = {
      stamp(t)
      source.tryAdd(t)
    }

    def add(t: StreamTuple, idle: IdleStrategy): Unit = {
      stamp(t)
      source.add(t, idle)
    }

    def advance(ts: Long): Unit = source.advance(ts)
    def close(): Unit = source.close()

    private[this] def stamp(t: StreamTuple): Unit = if (t ne offered) {
      t.arrival = System.nanoTime()
      offered = t
    }
  }
}

private[scalegate] object MeasuredRun {

  /** A recorded latency is within a thousandth of the real one. */
  private val Digits = 3
}

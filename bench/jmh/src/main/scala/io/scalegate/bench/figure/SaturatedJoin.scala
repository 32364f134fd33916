package io.scalegate.bench.figure

import org.HdrHistogram.Histogram

import io.scalegate.bench.join.{JoinArm, PacedConsumer}
import io.scalegate.join.JoinStrategy
import io.scalegate.stream.{Side, StreamTuple, TimeWindow}

/** The benchmark that ScaleJoin, handshake join and DP-Join share, as fast as tuples are taken: both
  * attributes uniform in [1, 10000], |x - a| <= 10 and |y - b| <= 10 within the last `windowMicros`.
  *
  * A tuple's time is the clock's when it is delivered, so the windows hold what came in that time,
  * and the rate settles where a tuple's comparisons take as long as a tuple takes to come: the
  * highest rate that the join sustains with such a window. R's and S's tuples alternate; one thread
  * delivers them and takes the results.
  */
final private[figure] class SaturatedJoin(windowMicros: Long) {
  private[this] val spec = JoinArm.spec(TimeWindow.sliding(windowMicros, windowMicros))

  /** Measures for so long, once the windows have filled twice and `settleNanos` more have passed. */
  def run(strategy: JoinStrategy, settleNanos: Long, measureNanos: Long): SaturatedRun = {
    val join = strategy.open(spec, Vector(Side.R, Side.S), PacedConsumer.Options)
    try {
      val feed = new Feed(new PacedConsumer(join))
      feed.until(2 * windowMicros * 1000 + settleNanos)
      val (before, first, begin) = (JoinArm.compared(join), feed.delivered, System.nanoTime())
      val latencies = feed.record()
      feed.until(feed.elapsed + measureNanos)
      val compared = JoinArm.comparedSince(join, before)
      val seconds = (System.nanoTime() - begin) / 1e9
      SaturatedRun(seconds, feed.delivered - first, compared, latencies)
    } finally join.close()
  }

  final private[this] class Feed(consumer: PacedConsumer) {
    private[this] val pairs = new UniformPairs(1)
    private[this] val start = System.nanoTime()
    private[this] var last = 0L
    var delivered = 0L

    def elapsed: Long = System.nanoTime() - start

    /** Of the results from now on. */
    def record(): Histogram = consumer.recordFrom(last + 1)

    /** Delivers tuples until so much time has passed since the start. */
    def until(nanos: Long): Unit = {
      var now = elapsed
      while (now < nanos) {
        // The consumer promises after a tuple of S that none of R has its time.
        deliver(start + now, math.max(if (delivered % 2 == 0) last + 1 else last, now / 1000))
        now = elapsed
      }
    }

    private[this] def deliver(due: Long, micros: Long): Unit = {
      val source = (delivered % 2).toInt
      val side = if (source == 0) Side.R else Side.S
      val row = java.lang.Long.valueOf(due)
      consumer.take()
      consumer.deliver(new StreamTuple(micros, source, delivered, side, pairs.next(), row))
      last = micros
      delivered += 1
    }
  }
}

/** What a join did in a measured time: tuples of both streams, comparisons by thread, and how long
  * results took, in nanoseconds from the delivery of the later tuple.
  */
final private[figure] case class SaturatedRun(
    seconds: Double,
    tuples: Long,
    compared: Vector[Long],
    latencies: Histogram
) {

  /** One line of JSON. */
  def json(arm: String, threads: Int, windowSeconds: Double): String =
    f"""{"arm": "$arm", "threads": $threads, "tuples": $tuples, "seconds": $seconds%.4f, """ +
      f""""comparisons": ${compared.sum}, "window s": $windowSeconds%.3f, """ +
      s"""${PacedConsumer.fields(latencies)}, """ +
      s""""comparisons_by_thread": ${compared.mkString("[", ", ", "]")}}"""
}

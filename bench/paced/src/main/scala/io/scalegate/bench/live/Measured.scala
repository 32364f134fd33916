package io.scalegate.bench.live

import java.util.concurrent.atomic.LongAdder

import org.HdrHistogram.ConcurrentHistogram

/** Latencies of results, which any thread of this JVM may record. */
object Measured {
  private[this] val nanos = new ConcurrentHistogram(3600L * 1000000000L, 3)
  private[this] val results = new LongAdder

  /** A result is there whose later event was due then. */
  def result(due: Long): Unit = {
    nanos.recordValue(math.max(0L, System.nanoTime - due))
    results.increment()
  }

  def any: Boolean = results.sum > 0

  /** Waits until there are results, lets the arm warm up, measures, and prints a line of JSON.
    *
    * @param name
    *   of the arm
    * @param perSecond
    *   events of both streams
    * @param isOverKafka
    *   whether events and results go over Kafka
    */
  def measure(
      name: String,
      query: LiveQuery,
      isOverKafka: Boolean,
      perSecond: Int,
      warm: Int,
      seconds: Int,
      isAlive: () => Boolean
  ): Unit = {
    val until = System.nanoTime + 60 * 1000000000L
    while (!any && isAlive() && System.nanoTime < until) Thread.sleep(50)
    Thread.sleep(warm * 1000L)
    reset()
    val started = System.nanoTime
    Thread.sleep(seconds * 1000L)
    val taken = (System.nanoTime - started) / 1e9
    def ms(percentile: Double) = nanos.getValueAtPercentile(percentile) / 1e6
    val arm = name + query.suffix
    val told = query.name + (if (isOverKafka) " over Kafka" else "")
    if (!isAlive()) sys.error(s"$arm has ended by itself")
    println(
      s"""{"arm": "$arm, $told, $perSecond/s", "engine": "$arm", "query": "$told", "load": $perSecond, """ +
        s""""seconds": $taken, "threads": 2, "results": ${results.sum}, "p50_ms": ${ms(50)}, """ +
        s""""p90_ms": ${ms(90)}, "p99_ms": ${ms(99)}, "p99.9_ms": ${ms(99.9)}, "max_ms": ${ms(
            100
          )}}"""
    )
  }

  def reset(): Unit = {
    nanos.reset()
    results.reset()
  }
}

package io.scalegate.join.ordered

import java.util.SplittableRandom

import org.scalatest.funsuite.AnyFunSuite

import io.scalegate.band.{AttributeType, IntegralBand}
import io.scalegate.join.{JoinMetrics, JoinOptions, JoinSpec, WorkerMetrics}
import io.scalegate.stream.{IdleStrategy, TimeWindow}

/** ScaleJoin's skew-resilience (§VI, Fig. 8): the threads' comparisons in each period of each case deviate by no more
  * than the paper measured. Windows are a sixth of the bench's, and a tuple less or more weighs six times as much.
  */
final class ScaleJoinSkewSuite extends AnyFunSuite {
  private val (window, period, periods) = (10, 5, 5)

  for (c <- SkewCase.all)
    test(
      s"${c.threads} threads share the work of ${c.streams.size} streams evenly: ${c.name}"
    ) {
      val spec = JoinSpec(
        TimeWindow.sliding(window * SkewedFeed.Second, window * SkewedFeed.Second),
        Vector(IntegralBand(AttributeType.Int32, -10, 10))
      )
      val random = new SplittableRandom(3)
      val join = new ScaleJoin(c.threads).open(spec, c.streams.map(_.side), JoinOptions())
      try {
        val feed = new SkewedFeed(
          c,
          join,
          () => Array(random.nextLong(10000)),
          new IdleStrategy.Backoff(maxParkNanos = 50000L)
        )
        feed.until(window.toDouble)
        var before = join.metrics
        for (p <- 1 to periods) {
          val counted = feed.until(window.toDouble + p * period)
          val now = join.metrics
          assert(counted.values.forall(_ > 1000))
          assert(since(before, now).skew <= c.deviation, s"in period $p")
          before = now
        }
      } finally join.close()
    }

  private def since(before: JoinMetrics, now: JoinMetrics): JoinMetrics = JoinMetrics(
    now.workers.zip(before.workers).map { case (a, b) =>
      WorkerMetrics(a.comparisons - b.comparisons, a.matches - b.matches, 0L, 0L)
    }
  )
}

package io.scalegate.measure

import java.util.concurrent.TimeUnit

import org.scalatest.funsuite.AnyFunSuite

import io.scalegate.BoundedWait.until
import io.scalegate.join.ordered.{NestedLoopJoin, ScaleJoin}
import io.scalegate.join.{JoinOptions, JoinRuns, JoinSpec, JoinStrategyContract}
import io.scalegate.stream.{CountWindow, Side, TimeWindow}

/** What a latency is measured from and to. */
final class MeasuredJoinLatencySuite extends AnyFunSuite {
  import JoinRuns._
  import Side.{R, S}

  private def holdFor(nanos: Long): Unit = {
    val start = System.nanoTime()
    while (System.nanoTime() - start < nanos) Thread.onSpinWait()
  }

  private val held = TimeUnit.MILLISECONDS.toNanos(3)

  test("every result is recorded once, for each strategy") {
    val spec = JoinSpec(CountWindow(50))
    val feeds = Vector(R, S).zipWithIndex.map { case (side, source) =>
      Vector.tabulate(400)(i => tuple(2L * i + source, source, i.toLong, side))
    }
    for (strategy <- Seq(NestedLoopJoin, new ScaleJoin(2))) {
      val join = new MeasuredJoin(strategy).open(spec, Vector(R, S))
      try {
        val results = threaded(join, feeds)
        assert(join.latency.getTotalCount == results.size)
        assert(join.metrics.matches == results.size)
        assert(join.latency.getMaxValue > 0)
      } finally join.close()
    }
  }

  test("the time that a result waits for a silent source counts, from its later tuple on") {
    val join = new MeasuredJoin(NestedLoopJoin).open(JoinSpec(TimeWindow(-5, 5)), Vector(R, S, S))
    try {
      assert(join.sources(0).tryAdd(tuple(1, 0, 0, R)))
      holdFor(held)
      val between = System.nanoTime()
      assert(join.sources(1).tryAdd(tuple(2, 1, 0, S)))
      join.sources(0).close()
      holdFor(held)
      assert(join.poll() == null)
      join.sources(2).close()
      join.sources(1).close()
      await(join)
      val latency = join.latency
      assert(latency.getTotalCount == 1)
      assert(latency.getMinValue >= held * 0.99)
      assert(latency.getMinValue <= System.nanoTime() - between)
    } finally join.close()
  }

  test("a tuple that a full source refuses has arrived all the same") {
    val join = new MeasuredJoin(NestedLoopJoin)
      .open(JoinSpec(TimeWindow(0, 0)), Vector(R, S), JoinOptions(inputCapacity = 1))
    try {
      val late = tuple(2, 0, 1, R)
      assert(join.sources(0).tryAdd(tuple(1, 0, 0, R)))
      assert(!join.sources(0).tryAdd(late))
      holdFor(held)
      join.sources(1).advance(2)
      until("room") { join.poll(); join.sources(0).tryAdd(late) }
      assert(join.sources(1).tryAdd(tuple(2, 1, 0, S)))
      join.sources.foreach(_.close())
      val result = await(join)
      assert(result.later.source == 1, "of one time, the second source's tuple is the later")
      assert(late.arrival <= result.later.arrival - held)
    } finally join.close()
  }
}

/** Measuring changes nothing. */
class MeasuredJoinSuite
    extends JoinStrategyContract(new MeasuredJoin(NestedLoopJoin), cases = 15)

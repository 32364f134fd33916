package io.scalegate.baseline

import org.scalatest.funsuite.AnyFunSuite

import io.scalegate.band.{AttributeType, IntegralBand}
import io.scalegate.baseline.handshake.{HandshakeJoin, LowLatencyHandshakeJoin}
import io.scalegate.index.BPlusTreeIndex
import io.scalegate.join.ordered.NestedLoopJoin
import io.scalegate.join.{Definition, JoinCase, JoinRuns, JoinSpec, JoinStrategy}
import io.scalegate.stream.{CountWindow, Side, TimeWindow, Window}

/** What the baselines promise beyond the contract of all joins. */
final class BaselinePropertiesSuite extends AnyFunSuite {
  import JoinRuns._
  import Side.{R, S}

  private val comparing = Seq(
    new CellJoin(3),
    new SplitJoin(3),
    new HandshakeJoin(3),
    new LowLatencyHandshakeJoin(3)
  )

  /** Four R tuples for each S tuple. */
  private def uneven(window: Window, n: Int = 1500): JoinCase = {
    val spec = JoinSpec(window, Vector(IntegralBand(AttributeType.Int32, 0, 0)))
    val r = Vector.tabulate(n)(i => tuple(i.toLong, 0, i.toLong, R, i % 5L))
    val s = Vector.tabulate(n / 4)(i => tuple(4L * i, 1, i.toLong, S, i % 5L))
    JoinCase(spec, Vector(R -> r, S -> s))
  }

  private def feeds(input: JoinCase) = input.feeds.map(_._2)

  for (
    window <- Seq(TimeWindow(-90, 30), TimeWindow(5, 80), TimeWindow(-60, -1), CountWindow(40))
  )
    test(s"each pair of the window is compared once, wherever it meets: $window") {
      val input = uneven(window)
      def compared(strategy: JoinStrategy) = opened(strategy, input) { join =>
        interleaved(join, feeds(input), 8)
        join.metrics.comparisons
      }
      val pairs = compared(NestedLoopJoin)
      assert(pairs > 10000)
      for (strategy <- comparing) assert(compared(strategy) == pairs, strategy.name)
    }

  test("CellJoin's and SplitJoin's threads compare equally much when rates and windows differ") {
    val input = uneven(TimeWindow(-300, 60), n = 6000)
    for (strategy <- comparing.take(2)) opened(strategy, input) { join =>
      interleaved(join, feeds(input), 3)
      assert(join.metrics.skew < 0.02, strategy.name)
    }
  }

  test("SplitJoin's results are in order up to the distance of the punctuations") {
    val precision = 25
    val input = uneven(TimeWindow(-50, 50))
    val places = input.tuples.sortBy(t => (t.ts, t.source)).zipWithIndex.map { case (t, i) =>
      (t.source, t.seq) -> i / precision
    }.toMap
    opened(new SplitJoin(3, precision = precision), input) { join =>
      val results = threaded(join, feeds(input))
      val intervals = results.map(pair => places((pair._1, pair._2)))
      assert(results.size > 1000 && intervals == intervals.sorted)
    }
  }

  test("SplitJoin's tree reaches every core whatever its fan-out") {
    val input = uneven(TimeWindow(-20, 20), n = 200)
    for (fanOut <- 2 to 4; threads <- Seq(1, 4, 5, 7)) {
      val results = opened(new SplitJoin(threads, fanOut), input)(interleaved(_, feeds(input), 2))
      assert(results == Definition.results(input))
    }
  }

  test("a baseline of no threads, an empty batch and a tree without branches are refused") {
    for (threads <- Seq(0, -1)) {
      intercept[IllegalArgumentException](new CellJoin(threads))
      intercept[IllegalArgumentException](new HandshakeJoin(threads))
      intercept[IllegalArgumentException](new LowLatencyHandshakeJoin(threads))
      intercept[IllegalArgumentException](new SplitJoin(threads))
      intercept[IllegalArgumentException](new ScaleOij(threads))
      intercept[IllegalArgumentException](
        new RoundRobinIndexJoin(threads, _ => new BPlusTreeIndex)
      )
    }
    intercept[IllegalArgumentException](new CellJoin(1, batch = 0))
    intercept[IllegalArgumentException](new SplitJoin(1, fanOut = 1))
    intercept[IllegalArgumentException](new SplitJoin(1, precision = 0))
  }
}

/** The schedule of Scale-OIJ. */
final class ScaleOijScheduleSuite extends AnyFunSuite {
  private val Joiners = 4

  /** Every other tuple has key 0; the others have 200 keys in turn. */
  private def key(i: Int): Long = if (i % 2 == 0) 0 else 1 + i / 2 % 200L

  test("a heavy key's team grows until the joiners take equally much, and light ones keep one") {
    val schedule = new ScaleOijSchedule(Joiners)
    val taken = new Array[Int](Joiners)
    for (i <- 0 until 40000) {
      val joiner = schedule.assign(key(i))
      if (i >= 20000) taken(joiner) += 1
    }
    assert(schedule.team(0).size > 1)
    assert((1L to 200L).count(schedule.team(_).size == 1) > 150)
    assert(taken.max < 1.3 * taken.min, taken.toSeq)
  }

  test("schedules that see the same tuples agree, and a tuple's joiner is in its key's team") {
    val one = new ScaleOijSchedule(Joiners)
    val other = new ScaleOijSchedule(Joiners)
    for (i <- 0 until 10000) {
      val joiner = one.assign(key(i))
      assert(other.assign(key(i)) == joiner && one.team(key(i)).contains(joiner))
    }
  }
}

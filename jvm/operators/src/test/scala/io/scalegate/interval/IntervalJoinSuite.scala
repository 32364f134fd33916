package io.scalegate.interval

import org.scalatest.funsuite.AnyFunSuite

import io.scalegate.BoundedWait.until
import io.scalegate.band.{AttributeType, IntegralBand}
import io.scalegate.join.ordered.NestedLoopJoin
import io.scalegate.join.{JoinCase, JoinMetrics, JoinOptions, JoinRuns, JoinSpec}
import io.scalegate.partition.{KeyAssignment, KeySplit}
import io.scalegate.stream.{CountWindow, Side, TimeWindow}

/** Keys that are skewed, drift and appear late: rows, order, balance, and what is refused. */
final class IntervalJoinSuite extends AnyFunSuite {
  import IntervalInputs._
  import IntervalPattern._
  import JoinRuns._

  private val Rows = 8000
  private val near = IntegralBand(AttributeType.Int32, -2, 2)
  private val spec = IntervalJoin.spec(-300, 500, bands = Vector(near))
  private val hybrid = Hybrid(calibration = 400, tupleCost = 32)

  /** Keys that the hash puts on the same one of two replicas. */
  private val together = Iterator.from(0).map(_.toLong).filter(KeyTable.spread(_, 2) == 0)
    .take(40).toVector

  private def run(join: IntervalJoin, input: JoinCase, seed: Long = 1) =
    opened(join, input) { running =>
      val results = interleaved(running, input.feeds.map(_._2), seed)
      val split = running match {
        case r: RunningIntervalJoin => r.splitting
        case other => fail(s"$other is no interval join")
      }
      (results, running.metrics, split)
    }

  private def imbalance(metrics: JoinMetrics): Double =
    KeyAssignment.imbalance(metrics.workers.map(_.comparisons.toDouble).toArray)

  private val inputs = Seq(
    "self-similar keys" -> selfSimilar(40, 0.35),
    "one key with half of the tuples" -> hot(3, uniform(40)),
    "a hot key that changes" -> drift(2000, hot(3, uniform(40)), hot(8, uniform(40))),
    "keys that appear after the calibration" -> drift(2000, uniform(5), uniform(4000)),
    "one key" -> uniform(1)
  )

  for ((what, keys) <- inputs)
    test(s"every pattern gives the sequential join's results in the same order: $what") {
      for (window <- Seq(spec.window, CountWindow(400))) {
        val all = input(4000, keys, spec.copy(window = window))
        val expected = opened(NestedLoopJoin, all)(interleaved(_, all.feeds.map(_._2), 1))
        assert(expected.size > 100)
        for (pattern <- Seq(KeyPartitioned, DataPartitioned, hybrid); replicas <- 2 to 3)
          assert(run(new IntervalJoin(replicas, pattern), all)._1 == expected)
      }
    }

  test("keys that are split and made whole again time after time lose and double no row") {
    val often = hybrid.copy(calibration = 80, theta = 1, drift = 1.1)
    val keys: Keys = (i, random) => hot(i / 4000 % 4 * 7L, uniform(60))(i, random)
    for (window <- Seq(spec.window, CountWindow(700))) {
      val all = input(4 * Rows, keys, spec.copy(window = window))
      val expected = opened(NestedLoopJoin, all)(interleaved(_, all.feeds.map(_._2), 1))
      for (replicas <- Seq(2, 4)) {
        val (results, metrics, split) = run(new IntervalJoin(replicas, often), all)
        assert(results == expected)
        assert(split.plans >= 6 && metrics.stored == 4 * Rows)
      }
    }
  }

  test("replicas agree whatever the interleaving: their work is the same in every run") {
    val all = input(Rows, drift(2000, hot(3, uniform(40)), hot(700, uniform(900))), spec)
    val (results, metrics, split) = run(new IntervalJoin(3, hybrid), all)
    assert(split.plans > 1 && metrics.stored == Rows)
    for (seed <- 2 to 4)
      assert(run(new IntervalJoin(3, hybrid, batch = seed), all, seed.toLong) ==
        ((results, metrics, split)))
  }

  test("after calibration a hot key is split, cold ones are not, and comparisons are balanced") {
    val keys = hot(together.head, (_, random) => together(random.nextInt(together.size)))
    val all = input(4 * Rows, keys, spec)
    val (_, kp, _) = run(new IntervalJoin(2, KeyPartitioned), all)
    val (_, dp, _) = run(new IntervalJoin(2, DataPartitioned), all)
    val (_, hp, split) = run(new IntervalJoin(2, hybrid), all)
    assert(kp.comparisons == hp.comparisons && dp.comparisons == hp.comparisons)
    assert(imbalance(kp) == 2, "all keys hash alike")
    assert(imbalance(dp) < 1.02)
    assert(imbalance(hp) < 1.1)
    assert(split.plans >= 1 && split.highestDegree == 2)
    val keysOnBoth = (split.averageDegree - 1) * together.size
    assert(math.round(keysOnBoth) == 1)
  }

  test("calibrated, it plans once, by the frequencies of the first tuples") {
    val calibration = 1000
    val all = input(Rows, drift(Rows / 2, selfSimilar(40, 0.3), hot(9, uniform(50))), spec)
    val (_, metrics, split) =
      run(new IntervalJoin(3, Calibrated(calibration = calibration)), all)
    val counted = all.tuples.sortBy(_.ts).take(calibration).groupBy(_.attrs(0))
    val keys = counted.keys.toVector.sorted
    val plan = new KeySplit(3, 1.05, 3).rebalance(
      keys.map(counted(_).size.toDouble).toArray,
      keys.map(KeyTable.spread(_, 3)).toArray
    )
    val degrees = keys.indices.map(plan.degree)
    assert(split == KeySplitting(1, plan.averageDegree, degrees.max) && degrees.max > 1)
    assert(metrics.stored == Rows)
  }

  test("a key within its share of the load stays whole") {
    val all = input(Rows, selfSimilar(2000, 0.45), spec)
    val (_, metrics, split) = run(new IntervalJoin(2, hybrid.copy(theta = 1.2)), all)
    assert(split == KeySplitting(1, 1, 1))
    assert(imbalance(metrics) < 1.2)
  }

  test("a hot key whose tuples cost more than their comparisons stays whole, planned once") {
    val all = input(4 * Rows, hot(together.head, uniform(40)), spec)
    val (_, metrics, split) = run(new IntervalJoin(2, Hybrid(calibration = 400)), all)
    assert(split == KeySplitting(1, 1, 1))
    assert(imbalance(metrics) > 1.2)
  }

  test("keys that drift are assigned anew, and only then") {
    val soon = hybrid.copy(calibration = 200)
    val before = hot(together(0), uniform(40))
    val after = hot(together(1), uniform(40))
    val all = input(4 * Rows, drift(Rows, before, after), spec)
    val (_, once, first) =
      run(new IntervalJoin(2, soon.copy(drift = Double.MaxValue)), all)
    val (_, again, last) = run(new IntervalJoin(2, soon), all)
    assert(first.plans == 1 && last.plans >= 2)
    assert(imbalance(once) > 1.3, "the plan of the old hot key is no use to the new one")
    assert(imbalance(again) < 1.15)
    assert(once.comparisons == again.comparisons)
    val steady = input(4 * Rows, before, spec)
    assert(run(new IntervalJoin(2, soon), steady)._3.plans == 1)
  }

  test("keys that do not come again are forgotten, and their rows dropped") {
    for (pattern <- Seq(KeyPartitioned, DataPartitioned, hybrid)) {
      val placement = KeyPlacement(pattern, 0, 1, spec.window)
      val steps = new IntervalSteps(spec, 0, placement, 4000, (_, _) => ())
      for (i <- 0 until 50000) {
        val side = if (i % 2 == 0) Side.R else Side.S
        val t = tuple(i.toLong, i % 2, i.toLong, side, i.toLong, 0)
        steps.step(t, t)
        assert(steps.keyCount <= 5000)
      }
      assert(steps.metrics.stored == 50000 && steps.metrics.peakWindowRows <= 4000)
    }
  }

  test("the frontier holds back nothing that is still to come, and ends at the end") {
    val all = input(2000, uniform(7), spec)
    val join = new IntervalJoin(2, hybrid).open(all.spec, all.sides, JoinOptions())
    try {
      val tuples = all.feeds.flatMap(_._2).sortBy(_.ts)
      val times = Vector.newBuilder[(Long, Boolean)] // frontiers, and results' times
      var frontier = Long.MinValue
      def take(): Unit = {
        val result = join.poll()
        if (result != null) times += ((result.ts, true))
        if (join.frontier > frontier) {
          frontier = join.frontier
          times += ((frontier, false))
        }
      }
      assert(join.frontier == Long.MinValue)
      for (t <- tuples) until("room") { take(); join.sources(t.source).tryAdd(t) }
      until("frontier at the last tuple but one") {
        take()
        join.frontier >= tuples.last.ts - 1
      }
      join.sources.foreach(_.close())
      until("end") { take(); join.isDone }
      take()
      assert(join.frontier == Long.MaxValue)
      val seen = times.result()
      val expected = opened(NestedLoopJoin, all)(interleaved(_, all.feeds.map(_._2), 1))
      assert(seen.count(_._2) == expected.size)
      seen.foldLeft(Long.MinValue) { case (frontier, (ts, isResult)) =>
        assert(ts >= frontier)
        if (isResult) frontier else ts
      }
    } finally join.close()
  }

  test("a spec without a key, and numbers out of range, are refused by name") {
    def refused(what: String)(body: => Any): Unit =
      assert(intercept[IllegalArgumentException](body).getMessage.contains(what))
    val join = new IntervalJoin(2)
    val window = TimeWindow(0, 1)
    for (bands <- Seq(Vector.empty, Vector(near), Vector(near, spec.bands.head)))
      refused("make the first band the key") {
        join.open(JoinSpec(window, bands), Vector(Side.R), JoinOptions())
      }
    refused("swap them")(IntervalJoin.spec(2, 1))
    refused("at least one replica")(new IntervalJoin(0))
    refused("at least one tuple")(new IntervalJoin(1, batch = 0))
    refused("theta")(Hybrid(theta = 0.5))
    refused("splitting 0")(Hybrid(maxSplitting = Some(0)))
    refused("at least one tuple")(Hybrid(calibration = 0))
    refused("drift")(Hybrid(theta = 1.5, drift = 1.2))
    refused("drift")(Hybrid(drift = Double.NaN))
    for (cost <- Seq(-1, Double.NaN, Double.PositiveInfinity))
      refused("0 or more")(Hybrid(tupleCost = cost))
    refused("at least one source")(join.open(spec, Vector.empty, JoinOptions()))
  }
}

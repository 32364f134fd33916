package io.scalegate.interval.sharednothing

import org.scalatest.funsuite.AnyFunSuite

import io.scalegate.Sample
import io.scalegate.band.{AttributeType, IntegralBand}
import io.scalegate.column.WindowLimitException
import io.scalegate.interval.IntervalPattern.{Calibrated, DataPartitioned, Hybrid, KeyPartitioned}
import io.scalegate.interval.{
  IntervalInputs,
  IntervalJoin,
  KeySplitting,
  Lateness,
  RunningPattern
}
import io.scalegate.join.ordered.NestedLoopJoin
import io.scalegate.join.{Definition, JoinCase, JoinMetrics, JoinOptions, JoinRuns}
import io.scalegate.partition.{KeyAssignment, SplitChoice}
import io.scalegate.stream.{CountWindow, Side}

/** Emitters, collectors and replicas together: rows under skew and across the change of plan, how
  * keys are spread, what waits, and what is refused.
  */
final class SharedNothingJoinSuite extends AnyFunSuite {
  import IntervalInputs._
  import JoinRuns._

  private val near = IntegralBand(AttributeType.Int32, -2, 2)
  private val spec = IntervalJoin.spec(-300, 500, bands = Vector(near))
  private val calibrated = Calibrated(calibration = 400)
  private val patterns = Seq(KeyPartitioned, DataPartitioned, calibrated)

  private def feeds(input: JoinCase) = input.feeds.map(_._2)

  private def run(
      join: SharedNothingJoin,
      input: JoinCase,
      seed: Long = 1
  ): (Vector[Definition.Pair], JoinMetrics, KeySplitting) =
    opened(join, input) {
      case running: RunningPattern =>
        (interleaved(running, feeds(input), seed), running.metrics, running.splitting)
      case other => fail(s"$other tells of no splitting")
    }

  private def imbalance(metrics: JoinMetrics): Double =
    KeyAssignment.imbalance(metrics.workers.map(_.comparisons.toDouble).toArray)

  private val inputs = Seq(
    "self-similar keys" -> selfSimilar(40, 0.35),
    "one key with half of the tuples" -> hot(3, uniform(40)),
    "keys that appear after the calibration" -> drift(2000, uniform(5), uniform(4000)),
    "one key" -> uniform(1)
  )

  for ((what, keys) <- inputs)
    test(s"every pattern gives the sequential join's results, in order if asked: $what") {
      val all = input(4000, keys, spec)
      val expected = opened(NestedLoopJoin, all)(interleaved(_, feeds(all), 1))
      assert(expected.size > 100)
      for (
        pattern <- patterns; replicas <- 2 to 3; batch <- Seq(1, 32); inOrder <- Seq(true, false)
      ) {
        val (results, metrics, _) =
          run(new SharedNothingJoin(replicas, pattern, batch, inOrder), all)
        assert((if (inOrder) results else results.sorted) ==
          (if (inOrder) expected else expected.sorted))
        assert(metrics.stored == 4000 && metrics.matches == expected.size)
      }
    }

  test("a key that is split on the way loses and doubles no row, wherever its emitters are") {
    val all = input(1500, hot(3, uniform(8)), spec)
    val expected = opened(NestedLoopJoin, all)(interleaved(_, feeds(all), 1)).sorted
    val every = Calibrated(theta = 1, calibration = 100, choice = SplitChoice.EveryKey)
    val options = JoinOptions(inputCapacity = 8, outputCapacity = 4)
    for (seed <- 1 to Sample.rounds(60); batch <- Seq(1, 4)) {
      val join = new SharedNothingJoin(2 + seed % 3, every, batch)
      val results = opened(join, all, options)(interleaved(_, feeds(all), seed.toLong))
      assert(results.sorted == expected)
      assert(opened(join, all, options)(threaded(_, feeds(all))).sorted == expected)
    }
  }

  test(
    "streams of different rates and several sources: rows, though turns wait for the slow one"
  ) {
    val all = input(3000, hot(3, uniform(20)), spec)
    val sources = all.copy(feeds = all.feeds.flatMap {
      case (Side.R, feed) => Vector(Side.R -> feed)
      case (_, feed) =>
        val (few, many) = feed.partition(_.seq % 10 == 0)
        Vector(many, few).map(part => Side.S -> part)
    }.zipWithIndex.map { case ((side, feed), i) =>
      side -> feed.map(t => tuple(t.ts, i, t.seq, side, t.attrs.toSeq: _*))
    })
    val expected = Definition.results(sources).sorted
    for (pattern <- patterns; batch <- Seq(1, 16)) {
      val (results, metrics, _) = run(new SharedNothingJoin(2, pattern, batch), sources)
      assert(results.sorted == expected && metrics.stored == 3000)
    }
  }

  test("KP gives a key one replica, DP all of them, HP several to a hot key") {
    val all = input(16000, hot(3, uniform(40)), spec)
    val (_, kp, whole) = run(new SharedNothingJoin(2, KeyPartitioned), all)
    val (_, dp, both) = run(new SharedNothingJoin(2, DataPartitioned), all)
    val (_, hp, split) = run(new SharedNothingJoin(2, calibrated), all)
    assert(whole == KeySplitting(0, 1, 1) && both == KeySplitting(0, 2, 2))
    assert(split.plans == 1 && split.highestDegree == 2 && split.averageDegree < 2)
    assert(imbalance(kp) > 1.5 && imbalance(dp) < 1.1 && imbalance(hp) < 1.2)
  }

  test("Algorithm 1 gets what all emitters have counted, and those that end early, too") {
    val all = input(600, hot(3, uniform(40)), spec)
    val silent = all.copy(feeds = all.feeds :+ (Side.S -> Vector.empty))
    val (_, _, split) = run(new SharedNothingJoin(2, Calibrated(calibration = 100000)), silent)
    assert(split.plans == 1 && split.highestDegree == 2)
  }

  test("sources out of order: within the bound every row, beyond it all but the late ones") {
    val sorted = input(1500, hot(3, uniform(20)), spec)
    for (pattern <- patterns; bound <- Seq(40L, 10L)) {
      val all = sorted.copy(feeds = sorted.feeds.map { case (side, feed) =>
        side -> delayed(feed, 40, 7)
      })
      val kept = all.copy(feeds = all.feeds.map { case (side, feed) =>
        side -> feed.diff(late(feed, bound))
      })
      val join = new SharedNothingJoin(3, pattern, batch = 4)
        .openUnordered(all.spec, all.sides, Lateness(bound))
      try {
        assert(threaded(join, feeds(all)).sorted == Definition.results(kept).sorted)
        assert(join.lateTuples == 1500 - kept.tuples.size)
        assert((join.lateTuples == 0) == (bound == 40))
      } finally join.close()
    }
  }

  test("what waits for its turn is bounded, and beyond it the join ends with an error") {
    val join = new SharedNothingJoin(2, DataPartitioned, batch = 1)
      .open(spec, Vector(Side.R, Side.S), JoinOptions(maxWindowRows = 100))
    try {
      val e = intercept[WindowLimitException] {
        for (i <- 0 until 100000)
          while (!join.sources(0).tryAdd(tuple(i.toLong, 0, i.toLong, Side.R, 1, 1)))
            join.poll()
      }
      assert(e.limit == 100)
    } finally join.close()
  }

  test("a batch beyond what a source may have waiting is sent when that is full") {
    val join = new SharedNothingJoin(1, KeyPartitioned, batch = Int.MaxValue)
      .open(spec, Vector(Side.R, Side.S), JoinOptions(inputCapacity = 4))
    try {
      for (i <- 0 until 4; source <- join.sources)
        assert(source.tryAdd(tuple(i.toLong, source.id, i.toLong, source.side, 1, 1)))
      assert(await(join).earlier != null)
    } finally join.close()
  }

  test("a promise is kept though its source never calls again, and channels are full") {
    val options = JoinOptions(inputCapacity = 1, outputCapacity = 1)
    for (pattern <- patterns; _ <- 1 to Sample.rounds(20)) {
      val join = new SharedNothingJoin(3, pattern, batch = 1)
        .open(spec, Vector(Side.R, Side.S), options)
      try {
        for (i <- 0 until 20; source <- join.sources) {
          val t = tuple(i.toLong, source.id, i.toLong, source.side, i % 3L, 1)
          while (!source.tryAdd(t)) join.poll()
        }
        join.sources.foreach(_.advance(1000))
        io.scalegate.BoundedWait.until("the frontier") {
          while (join.poll() != null) ()
          join.frontier == 1000
        }
      } finally join.close()
      assert(workersAlive.isEmpty)
    }
  }

  test("a pattern that goes on planning, a window of rows and a join without a key are refused") {
    def refused(what: String)(body: => Any): Unit =
      assert(intercept[IllegalArgumentException](body).getMessage.contains(what))
    refused("IntervalPattern.Calibrated")(new SharedNothingJoin(2, Hybrid()))
    val join = new SharedNothingJoin(2)
    val sides = Vector(Side.R, Side.S)
    refused("bound the time")(join.open(spec.copy(window = CountWindow(3)), sides, JoinOptions()))
    refused("make the first band the key") {
      join.open(spec.copy(bands = Vector(near)), sides, JoinOptions())
    }
    refused("at least one replica")(new SharedNothingJoin(0))
    refused("at least one tuple")(new SharedNothingJoin(1, KeyPartitioned, batch = 0))
    refused("at least one tuple")(Calibrated(calibration = 0))
    refused("theta")(Calibrated(theta = 0.5))
  }
}

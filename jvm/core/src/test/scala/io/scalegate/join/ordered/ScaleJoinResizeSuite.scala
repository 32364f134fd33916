package io.scalegate.join.ordered

import java.util.SplittableRandom

import org.scalacheck.Gen
import org.scalactic.anyvals.PosInt
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import io.scalegate.BoundedWait.until
import io.scalegate.Sample
import io.scalegate.band.{AttributeType, IntegralBand}
import io.scalegate.join.{
  Definition,
  ElasticJoin,
  JoinCase,
  JoinCases,
  JoinOptions,
  JoinRuns,
  JoinSpec
}
import io.scalegate.stream.{CountWindow, IdleStrategy, Side, TimeWindow, Window}

/** ScaleJoin whose threads join and leave while it runs: the same results in the same order, what is
  * new shared evenly, and those that leave gone once their rows are.
  */
final class ScaleJoinResizeSuite extends AnyFunSuite with ScalaCheckPropertyChecks {
  import JoinRuns._
  import Side.{R, S}

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful =
      PosInt.ensuringValid(if (Sample.isSoak) 160 else 20)
    )

  private val near = IntegralBand(AttributeType.Int32, 0, 2)

  private def alternating(n: Int, window: Window): JoinCase = {
    def feed(source: Int, side: Side) =
      Vector.tabulate(n)(i => tuple(2L * i + source, source, i.toLong, side, i % 7L))
    JoinCase(JoinSpec(window, Vector(near)), Vector(R -> feed(0, R), S -> feed(1, S)))
  }

  private def feeds(input: JoinCase) = input.feeds.map(_._2)

  private def open(input: JoinCase, threads: Int, options: JoinOptions = JoinOptions()) =
    new ScaleJoin(threads).open(input.spec, input.sides, options)

  /** Feeds in merged order, and takes results meanwhile. */
  private def feed(
      join: ElasticJoin,
      input: JoinCase,
      from: Int,
      to: Int
  ): Vector[Definition.Pair] = {
    val results = Vector.newBuilder[Definition.Pair]
    def takeOne(): Unit = {
      val result = join.poll()
      if (result != null) results += Definition.pair(result)
    }
    for (i <- from until to; source <- input.feeds.indices)
      until("room") {
        takeOne()
        join.sources(source).tryAdd(feeds(input)(source)(i))
      }
    results.result()
  }

  private def close(join: ElasticJoin): Vector[Definition.Pair] = {
    join.sources.foreach(_.close())
    drain(join)
  }

  test("any case, resized at random while one thread feeds it: the definition's pairs in order") {
    forAll(JoinCases.cases, Gen.choose(1, 3), Gen.long) { (input, threads, seed) =>
      val random = new SplittableRandom(seed)
      val join = open(input, threads, JoinOptions(inputCapacity = 3, outputCapacity = 2))
      try {
        val results = Vector.newBuilder[Definition.Pair]
        val rest = input.feeds.map(_._2.iterator.buffered).toArray
        val open = rest.indices.toBuffer
        while (open.nonEmpty) {
          val i = open(random.nextInt(open.size))
          if (rest(i).isEmpty) {
            join.sources(i).close()
            open -= i
          } else if (join.sources(i).tryAdd(rest(i).head)) {
            rest(i).next()
            if (random.nextInt(6) == 0) join.resize(1 + random.nextInt(4))
          } else Thread.onSpinWait()
          val result = join.poll()
          if (result != null) results += Definition.pair(result)
        }
        assert(results.result() ++ drain(join) == Definition.results(input))
        assert(join.metrics.stored <= input.tuples.size)
      } finally join.close()
      assert(workersAlive.isEmpty)
    }
  }

  for (window <- Seq(TimeWindow(-40, 60), CountWindow(30, 12)))
    test(s"resized by a thread of its own while others feed it: the sequential join's, $window") {
      val input = alternating(3000, window)
      val expected = opened(NestedLoopJoin, input)(interleaved(_, feeds(input), 1))
      for (round <- 1 to Sample.rounds(30)) {
        val join = open(input, 2, JoinOptions(inputCapacity = 64, outputCapacity = 64))
        try {
          @volatile var goesOn = true
          val random = new SplittableRandom(round.toLong)
          val resizing = new Thread(() =>
            while (goesOn) {
              join.resize(1 + random.nextInt(4))
              Thread.sleep(1)
            }
          )
          val feeders = input.feeds.indices.map(i =>
            new Thread(() => {
              feeds(input)(i).foreach(join.sources(i).add(_, new IdleStrategy.Backoff()))
              join.sources(i).close()
            })
          )
          (resizing +: feeders).foreach(_.start())
          val results = drain(join)
          goesOn = false
          (resizing +: feeders).foreach(_.join())
          assert(results == expected)
          assert(join.metrics.stored == 6000 && join.metrics.matches == expected.size)
        } finally join.close()
        assert(workersAlive.isEmpty)
      }
    }

  test(
    "what comes after a change is shared evenly, and those that left are gone with their rows"
  ) {
    val input = alternating(3000, TimeWindow(-20, 20))
    val join = open(input, 1)
    val results = Vector.newBuilder[Definition.Pair]
    def awaitWhile(what: String)(isWaiting: => Boolean): Unit = until(what) {
      var result = join.poll()
      while (result != null) {
        results += Definition.pair(result)
        result = join.poll()
      }
      !isWaiting
    }
    def feedAndSettle(from: Int, to: Int): Unit = {
      results ++= feed(join, input, from, to)
      awaitWhile("all that is ready")(join.metrics.stored < 2 * to - 1)
    }
    try {
      feedAndSettle(0, 1000)
      join.resize(4)
      assert(join.threads == 4)
      feedAndSettle(1000, 2000)
      assert(isAbout(join.metrics.workers.map(_.stored), Seq(2500, 500, 500, 500)))
      join.resize(2)
      feedAndSettle(2000, 3000)
      awaitWhile("end of those that left")(workersAlive.size > 2)
      join.resize(2) // forgets those that have ended, but not what they did
      results ++= close(join)
      assert(results.result() == opened(NestedLoopJoin, input)(interleaved(_, feeds(input), 1)))
      assert(isAbout(join.metrics.workers.map(_.stored), Seq(3500, 1500, 1000)))
      assert(join.metrics.stored == 6000)
    } finally join.close()
  }

  /** What comes at the moment of a change may be before it or behind it. */
  private def isAbout(stored: Seq[Long], expected: Seq[Long]): Boolean =
    stored.size == expected.size &&
      stored.zip(expected).forall { case (a, b) => math.abs(a - b) <= 2 }

  test("changes one upon the other, before anything comes and when nothing comes any more") {
    val input = alternating(400, TimeWindow(-20, 20))
    val join = open(input, 3)
    try {
      for (n <- Seq(1, 4, 2, 5, 3)) join.resize(n)
      var results = feed(join, input, 0, 200)
      for (n <- Seq(1, 4, 1, 2)) join.resize(n)
      assert(join.threads == 2)
      results ++= feed(join, input, 200, 400)
      join.sources.foreach(_.close())
      join.resize(7)
      results ++= drain(join)
      assert(results == Definition.results(input) && join.isDone)
      join.resize(2) // after the end, too
      assert(join.threads == 2)
    } finally join.close()
  }

  test("at the end of time nothing is left to share") {
    val input = alternating(1, TimeWindow(Long.MinValue, Long.MaxValue))
    val join = open(input, 1)
    try {
      val results = feed(join, input, 0, 1)
      join.sources.foreach(_.advance(Long.MaxValue))
      val first = await(join)
      join.resize(3)
      assert(join.threads == 1)
      assert(results :+ Definition.pair(first) == Definition.results(input))
      assert(close(join).isEmpty)
    } finally join.close()
  }

  test("no threads are refused, and so is a change of a join that was closed or has failed") {
    val input = alternating(10, TimeWindow(-20, 20))
    val join = open(input, 2)
    intercept[IllegalArgumentException](join.resize(0))
    join.close()
    intercept[IllegalStateException](join.resize(3))
    val broken = new RuntimeException("the predicate is broken")
    val spec = input.spec.copy(residual = Some(() => (_, _) => throw broken))
    val failing = open(input.copy(spec = spec), 2)
    try {
      for (source <- 0 to 1) assert(failing.sources(source).tryAdd(feeds(input)(source)(0)))
      failing.sources.foreach(_.close())
      assert(intercept[RuntimeException](drain(failing)) eq broken)
      assert(intercept[RuntimeException](failing.resize(3)) eq broken)
    } finally failing.close()
  }
}

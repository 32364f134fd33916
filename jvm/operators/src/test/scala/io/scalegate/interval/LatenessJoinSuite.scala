package io.scalegate.interval

import java.util.concurrent.ConcurrentLinkedQueue

import scala.jdk.CollectionConverters._

import org.scalacheck.Gen
import org.scalactic.anyvals.PosInt
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import io.scalegate.band.{AttributeType, IntegralBand}
import io.scalegate.column.WindowLimitException
import io.scalegate.join.{Definition, JoinCase, JoinCases, JoinOptions, JoinRuns, JoinSpec}
import io.scalegate.stream.{CountWindow, Side, StreamTuple, TimeWindow}

/** Sources that are out of order: within the bound and beyond it, joined as they come and
  * reordered first.
  */
final class LatenessJoinSuite extends AnyFunSuite with ScalaCheckPropertyChecks {
  import IntervalInputs._
  import IntervalPattern._
  import JoinRuns._
  import Side.{R, S}

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = PosInt.ensuringValid(30))

  private val small = JoinOptions(inputCapacity = 3, outputCapacity = 2)
  private val patterns = Seq(KeyPartitioned, DataPartitioned, Hybrid(calibration = 50))
  private val spec =
    IntervalJoin.spec(-40, 25, bands = Vector(IntegralBand(AttributeType.Int32, -30, 30)))

  private def open(
      join: IntervalJoin,
      input: JoinCase,
      lateness: Lateness,
      isReordered: Boolean,
      options: JoinOptions
  ): LatenessJoin =
    if (isReordered) join.openReordered(input.spec, input.sides, lateness, options)
    else join.openUnordered(input.spec, input.sides, lateness, options)

  /** Runs a join over feeds in order of arrival; checks the late tuples and the results. */
  private def check(
      join: IntervalJoin,
      input: JoinCase,
      bound: Long,
      isReordered: Boolean,
      options: JoinOptions = JoinOptions()
  ): Unit = {
    val dropped = input.feeds.map(f => late(f._2, bound))
    val offered = new ConcurrentLinkedQueue[StreamTuple]
    val lateness = Lateness(bound, t => { offered.add(t); () })
    val running = open(join, input, lateness, isReordered, options)
    try {
      val results = threaded(running, input.feeds.map(_._2))
      val expected = Definition.results(input.copy(feeds = input.feeds.zip(dropped).map {
        case ((side, feed), late) => side -> feed.diff(late)
      }))
      if (isReordered) assert(results == expected)
      else assert(results.sorted == expected.sorted)
      assert(offered.asScala.groupBy(_.source).view.mapValues(_.toVector).toMap ==
        dropped.filter(_.nonEmpty).map(d => d.head.source -> d).toMap)
      assert(running.lateTuples == dropped.map(_.size).sum)
      assert(running.frontier == Long.MaxValue)
    } finally running.close()
    assert(workersAlive.isEmpty)
  }

  for (isReordered <- Seq(false, true)) {
    val mode = if (isReordered) "reordered" else "joined as they come"

    test(s"out of order within the bound: rows are those of the sorted input; $mode") {
      val sorted = input(1500, hot(3, uniform(20)), spec)
      for ((pattern, i) <- patterns.zipWithIndex; most <- Seq(5, 30)) {
        val all = sorted.copy(feeds = sorted.feeds.map { case (side, feed) =>
          side -> delayed(feed, most, i.toLong)
        })
        assert(all.feeds.forall(f => late(f._2, most.toLong).isEmpty))
        assert(all.feeds.exists(f => f._2 != f._2.sortBy(_.ts)))
        check(new IntervalJoin(2 + i % 2, pattern), all, most.toLong, isReordered)
      }
    }

    test(
      s"beyond the bound: late tuples are counted and offered, exactly the others join; $mode"
    ) {
      val sorted = input(1500, selfSimilar(20, 0.35), spec)
      for ((pattern, i) <- patterns.zipWithIndex) {
        val all = sorted.copy(feeds = sorted.feeds.map { case (side, feed) =>
          side -> delayed(feed, 60, i.toLong)
        })
        assert(all.feeds.forall(f => late(f._2, 10).size > 20))
        check(new IntervalJoin(3, pattern, batch = 4), all, 10, isReordered, small)
      }
    }

    test(s"any order of any case, from nothing to the ends of the types; $mode") {
      val windows = Gen.oneOf(true, false)
      forAll(JoinCases.keyedCases, Gen.oneOf(0L, 3L, 40L, Long.MaxValue), windows, Gen.long) {
        (input, bound, isSorted, seed) =>
          val isTime = input.spec.window.isInstanceOf[TimeWindow]
          whenever(isTime || isReordered) {
            val random = new scala.util.Random(seed)
            val feeds =
              if (isSorted) input.feeds
              else input.feeds.map { case (side, feed) => side -> random.shuffle(feed) }
            val pattern = patterns(random.nextInt(patterns.size))
            check(
              new IntervalJoin(2, pattern),
              input.copy(feeds = feeds),
              bound,
              isReordered,
              small
            )
          }
      }
    }

    test(s"a promised watermark makes earlier tuples late and frees those before it; $mode") {
      val lateness = Lateness(1000)
      val all = JoinCase(IntervalJoin.spec(-5, 5), Vector(R -> Vector.empty, S -> Vector.empty))
      val join = open(new IntervalJoin(2, DataPartitioned), all, lateness, isReordered, small)
      try {
        assert(join.sources(0).tryAdd(tuple(10, 0, 0, R, 1)))
        assert(join.sources(1).tryAdd(tuple(8, 1, 0, S, 1)))
        assert(join.sources(0).tryAdd(tuple(6, 0, 1, R, 1)))
        for (source <- join.sources) source.advance(100)
        assert(Set.fill(2)(Definition.pair(await(join))) == Set((0, 0L, 1, 0L), (1, 0L, 0, 1L)))
        assert(
          join.sources(0).tryAdd(tuple(99, 0, 2, R, 1)),
          "a late tuple is taken, and dropped"
        )
        assert(join.lateTuples == 1)
        assert(join.sources(0).tryAdd(tuple(100, 0, 3, R, 1)))
        assert(join.sources(1).tryAdd(tuple(103, 1, 1, S, 1)))
        join.sources.foreach(_.close())
        assert(drain(join) == Vector((1, 1L, 0, 3L)))
      } finally join.close()
    }

    test(s"what the watermark has passed is dropped, though one stream is silent; $mode") {
      val feed = Vector.tabulate(6000)(i => tuple(i.toLong, 0, i.toLong, R, i % 3L))
      val all = JoinCase(
        IntervalJoin.spec(-10, 10),
        Vector(R -> delayed(feed, 20, 4), S -> Vector.empty)
      )
      val join =
        open(new IntervalJoin(2, Hybrid()), all, Lateness(20), isReordered, JoinOptions())
      try {
        assert(threaded(join, all.feeds.map(_._2)).isEmpty)
        assert(join.metrics.stored == 6000 && join.metrics.peakWindowRows <= 3 * 60)
      } finally join.close()
    }

    test(s"a throwing predicate ends the join, and its sources throw the same; $mode") {
      val broken = new IllegalStateException("the predicate is broken")
      val all = JoinCase(
        IntervalJoin.spec(-5, 5, cond = Some(() => (_, _) => throw broken)),
        Vector(R -> Vector.empty, S -> Vector.empty)
      )
      val join = open(new IntervalJoin(2), all, Lateness(0), isReordered, small)
      try {
        assert(join.sources(0).tryAdd(tuple(10, 0, 0, R, 1)))
        assert(join.sources(1).tryAdd(tuple(10, 1, 0, S, 1)))
        join.sources.foreach(_.advance(20))
        assert(intercept[IllegalStateException](drain(join)) eq broken)
        val late = tuple(1, 0, 1, R, 1)
        assert(intercept[IllegalStateException](join.sources(0).tryAdd(late)) eq broken)
        assert(intercept[IllegalStateException](join.sources(0).advance(30)) eq broken)
      } finally join.close()
    }
  }

  test(
    "tuples join as they come long before the bound has passed; a reorder buffer waits for it"
  ) {
    for (isReordered <- Seq(false, true)) {
      val all = JoinCase(IntervalJoin.spec(-5, 5), Vector(R -> Vector.empty, S -> Vector.empty))
      val join =
        open(
          new IntervalJoin(2),
          all,
          Lateness(1000),
          isReordered,
          JoinOptions(inputCapacity = 8)
        )
      try {
        assert(join.sources(0).tryAdd(tuple(10, 0, 0, R, 1)))
        assert(join.sources(1).tryAdd(tuple(12, 1, 0, S, 1)))
        assert(join.sources(0).tryAdd(tuple(30, 0, 1, R, 2)))
        if (isReordered) {
          assert(join.poll() == null)
          for (s <- join.sources) assert(s.tryAdd(tuple(1020, s.id, 5, s.side, 9)))
        }
        assert(Definition.pair(await(join)) == ((1, 0L, 0, 0L)))
      } finally join.close()
    }
  }

  test("a late callback's exception reaches the caller and leaves the join as it was") {
    val failure = new IllegalStateException("nowhere to put it")
    val join = new IntervalJoin(1)
      .openUnordered(IntervalJoin.spec(0, 0), Vector(R, S), Lateness(0, _ => throw failure))
    try {
      join.sources(0).advance(10)
      assert(intercept[IllegalStateException] {
        join.sources(0).tryAdd(tuple(9, 0, 0, R, 1))
      } eq failure)
      assert(join.lateTuples == 1)
      assert(join.sources(0).tryAdd(tuple(10, 0, 1, R, 1)))
      assert(join.sources(1).tryAdd(tuple(10, 1, 0, S, 1)))
      join.sources.foreach(_.close())
      assert(drain(join) == Vector((1, 0L, 0, 1L)))
    } finally join.close()
  }

  test("a negative bound, a row-count window out of order and a foreign tuple are refused") {
    def refused(what: String)(body: => Any): Unit =
      assert(intercept[IllegalArgumentException](body).getMessage.contains(what))
    refused("0 or more")(Lateness(-1))
    val rows = JoinSpec(CountWindow(3), spec.bands)
    refused("openReordered")(new IntervalJoin(1).openUnordered(rows, Vector(R), Lateness(0)))
    val join = new IntervalJoin(1).openReordered(spec, Vector(R), Lateness(5))
    try
      for (wrong <- Seq(tuple(1, 1, 0, R, 1, 1), tuple(1, 0, 0, S, 1, 1), tuple(1, 0, 0, R, 1)))
        refused("source 0 (R)")(join.sources(0).tryAdd(wrong))
    finally join.close()
  }

  test("a reorder buffer beyond the limit of rows ends the join with an error that says so") {
    val feed = Vector.tabulate(300)(i => tuple(i.toLong, 0, i.toLong, R, 1))
    val options = JoinOptions(maxWindowRows = 100)
    val join = new IntervalJoin(1)
      .openReordered(IntervalJoin.spec(0, 0), Vector(R), Lateness(1000), options)
    try {
      val e = intercept[WindowLimitException] {
        feed.foreach(join.sources(0).tryAdd(_)) // which may be told of it first
        join.sources(0).close()
        drain(join)
      }
      assert(e.limit == 100)
    } finally join.close()
  }
}

package io.scalegate.matrix.cube

import java.util.concurrent.ConcurrentLinkedQueue

import org.scalacheck.Gen
import org.scalactic.anyvals.PosInt
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import io.scalegate.band.{AttributeType, IntegralBand}
import io.scalegate.column.WindowLimitException
import io.scalegate.gate.OutOfOrderException
import io.scalegate.join.{JoinOptions, JoinRuns}
import io.scalegate.stream.{IdleStrategy, Side, StreamTuple, TimeWindow}
import io.scalegate.{BoundedWait, ClosedOperator, OperatorUnderTest, Sample}

/** What the three-way join must do, whatever its layout; a layout's suite is one line. */
abstract class CubeJoinContract(layout: CubeLayout, cases: Int = 15)
    extends AnyFunSuite
    with ScalaCheckPropertyChecks {
  import CubeStream.{R, S, T}

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful =
      PosInt.ensuringValid(if (Sample.isSoak) cases else math.max(cases / 4, 7))
    )

  private val small = JoinOptions(inputCapacity = 3, outputCapacity = 2)

  private def all(window: TimeWindow) =
    CubeSpec(CubePair(window), CubePair(window), CubePair(window))

  private val everything = all(TimeWindow(Long.MinValue, Long.MaxValue))

  private def tuple(ts: Long, source: Int, seq: Long): StreamTuple =
    JoinRuns.tuple(ts, source, seq, Side.R)

  /** One source for each stream, in turns. */
  private def turns(n: Int, spec: CubeSpec): CubeCase =
    CubeCase(
      spec,
      CubeStream.all.toVector.zipWithIndex.map { case (stream, source) =>
        stream -> Vector.tabulate(n)(i => tuple(3L * i + source, source, i.toLong))
      }
    )

  test("gives the definition's triples in order, one thread feeding in any interleaving") {
    forAll(CubeCases.cases, Gen.long) { (input, seed) =>
      val results = CubeRuns.opened(layout, input, small)(CubeRuns.interleaved(_, input, seed))
      assert(results == CubeDefinition.results(input))
    }
  }

  test("gives the definition's triples in order, a thread for each source") {
    forAll(CubeCases.cases) { input =>
      val results = CubeRuns.opened(layout, input, small)(CubeRuns.threaded(_, input))
      assert(results == CubeDefinition.results(input))
    }
  }

  test("no thread's matches are lost: every triple of the cross product, time and again") {
    val input = turns(16, everything)
    val expected = CubeDefinition.results(input)
    assert(expected.size == 16 * 16 * 16)
    for (_ <- 1 to 5)
      assert(CubeRuns.opened(layout, input)(CubeRuns.threaded(_, input)) == expected)
  }

  test("gives the same on a long input, and keeps no more than the windows hold") {
    val n = 500
    val input = turns(n, all(TimeWindow(-10, 10)))
    val expected = CubeDefinition.results(turns(60, input.spec)).size // of the first 60
    CubeRuns.opened(layout, input) { join =>
      val results = CubeRuns.interleaved(join, input, 3)
      assert(results == results.distinct && results.count(_.forall(_._2 < 60)) == expected)
      assert(join.metrics.matches == results.size && join.metrics.stored == 3 * n)
      assert(join.metrics.comparisons >= results.size && join.metrics.skew < 0.25)
      assert(join.metrics.peakWindowRows <= 5 * 3 + layout.r + layout.s + layout.t)
      assert(join.frontier == Long.MaxValue)
    }
  }

  test("a result comes out as soon as no source can deliver anything before it") {
    val join = new CubeJoin(layout).open(all(TimeWindow(-5, 5)), Vector(R, S, T, T))
    try {
      for (i <- 0 to 2) assert(join.sources(i).tryAdd(tuple(10L + i, i, 0)))
      join.sources(0).advance(13)
      join.sources(1).advance(13)
      assert(join.poll() == null, "the fourth source is silent")
      join.sources(3).advance(12)
      var result: CubeResult = null
      BoundedWait.until("result") {
        assert(join.frontier <= 12)
        result = join.poll()
        result != null
      }
      assert(CubeDefinition.triple(result) == Vector((2, 0L), (1, 0L), (0, 0L)))
      assert(Seq(result.r, result.s, result.t).map(_.source) == Seq(0, 1, 2))
      assert(result.ts == 12 && !join.isDone)
    } finally join.close()
  }

  test("a pair's window that follows from the other two bounds what is kept") {
    val near = CubePair(TimeWindow(-9, 9))
    val input =
      turns(300, CubeSpec(near, near, CubePair(TimeWindow(Long.MinValue, Long.MaxValue))))
    CubeRuns.opened(layout, input) { join =>
      val results = CubeRuns.interleaved(join, input, 4)
      assert(join.metrics.matches == results.size && results.size > 300)
      assert(join.metrics.peakWindowRows <= 3 * 8 + layout.r + layout.s + layout.t)
    }
  }

  test("tuples that another join held are compared with none of their own") {
    val held = turns(40, everything)
    val input = held.copy(spec = everything.copy(from = 3L * 39))
    CubeRuns.opened(layout, input) { join =>
      val results = CubeRuns.interleaved(join, input, 6)
      assert(results == CubeDefinition.results(input) && results.size > 2 * 39 * 39)
      assert(join.metrics.comparisons < 3 * results.size)
    }
  }

  test("a silent stream does not let the others' windows grow") {
    val silent = turns(500, all(TimeWindow(-9, 9)))
    val input = silent.copy(feeds = silent.feeds.updated(1, S -> Vector.empty))
    CubeRuns.opened(layout, input) { join =>
      assert(CubeRuns.interleaved(join, input, 5).isEmpty)
      assert(join.metrics.peakWindowRows <= 2 * 5 + layout.r + layout.t)
    }
  }

  test("sources hold no more than their capacity while nobody takes results") {
    val join = new CubeJoin(layout).open(everything, CubeStream.all, small)
    try {
      var added = 0
      def offer(): Boolean = {
        val taken = join.sources(added % 3).tryAdd(tuple(added.toLong, added % 3, added.toLong))
        if (taken) added += 1
        taken
      }
      BoundedWait.until("refusal")(!offer() || added > 1000)
      assert(added <= 1000, "the join buffers without limit")
      BoundedWait.until("room") { join.poll(); offer() }
    } finally join.close()
  }

  test("an exception in the predicate reaches the consumer and a blocked feeder unchanged") {
    final class Broken extends RuntimeException("the predicate is broken")
    val broken = new Broken
    val calls = new java.util.concurrent.atomic.AtomicInteger
    val predicate: TriplePredicate =
      (_, _, _) => if (calls.getAndIncrement() >= 50) throw broken else true
    val spec = everything.copy(residual = Some(() => predicate))
    val join = new CubeJoin(layout).open(spec, CubeStream.all, small)
    val seen = new ConcurrentLinkedQueue[Throwable]
    val feeders = CubeStream.all.indices.map { i =>
      val thread = new Thread(() =>
        try
          for (n <- 0 until 100000)
            join.sources(i).add(tuple(n.toLong, i, n.toLong), new IdleStrategy.Backoff())
        catch { case e: Throwable => seen.add(e) }
      )
      thread.start()
      thread
    }
    assert(intercept[Broken](CubeRuns.drain(join)) eq broken)
    feeders.foreach(_.join())
    assert(seen.size == 3)
    seen.forEach(e => assert(e eq broken))
    assert(!join.isDone && intercept[Broken](join.frontier).eq(broken))
    join.close()
    assert(JoinRuns.workersAlive.isEmpty)
  }

  test("a window beyond its limit of rows ends the join with an error that says so") {
    val input = turns(400, everything.copy(residual = Some(() => (_, _, _) => false)))
    val e = intercept[WindowLimitException] {
      CubeRuns.opened(layout, input, JoinOptions(maxWindowRows = 20))(
        CubeRuns.interleaved(_, input, 3)
      )
    }
    assert(e.limit == 20)
  }

  private def operator(): OperatorUnderTest = {
    val join = new CubeJoin(layout).open(all(TimeWindow(-9, 9)), CubeStream.all, small)
    new OperatorUnderTest(
      "join",
      join.sources,
      () => join.poll(),
      () => join.frontier,
      () => join.isDone,
      () => join.close(),
      (i, n) => tuple(3L * n + i, i, n)
    )
  }

  test(
    "a join that was closed says so, to its consumer and its sources, and not that it is done"
  ) {
    ClosedOperator.checkSaysSo(operator())
  }

  test("closing ends a consumer that polls and sources that wait for room, and each is told") {
    ClosedOperator.checkTellsThreads(operator())
  }

  test("a join that is done stays done when it is closed") {
    ClosedOperator.checkStaysDone(operator())
  }

  test("the frontier goes by what the sources promise, though no tuple comes") {
    val join = new CubeJoin(layout).open(all(TimeWindow(-5, 5)), CubeStream.all)
    try
      for (time <- Seq(7L, 1000000L)) {
        join.sources.foreach(_.advance(time))
        BoundedWait.until(s"frontier of $time") {
          assert(join.poll() == null)
          join.frontier == time
        }
      }
    finally join.close()
  }

  test("a tuple out of order, of another source or with too few attributes is refused by name") {
    val bands = Vector(CubeBand(0, 1, IntegralBand(AttributeType.Int64, 0, 0)))
    val spec = everything.copy(st = CubePair(TimeWindow(0, 0), bands))
    val join = new CubeJoin(layout).open(spec, CubeStream.all)
    try {
      def of(source: Int, ts: Long, attrs: Long*) =
        JoinRuns.tuple(ts, source, ts, Side.S, attrs: _*)
      assert(join.sources(0).tryAdd(of(0, 7)), "no band compares R")
      intercept[OutOfOrderException](join.sources(0).tryAdd(of(0, 6)))
      for ((source, wrong) <- Seq(1 -> of(2, 8, 1, 1), 1 -> of(1, 8), 2 -> of(2, 8, 1)))
        assert(intercept[IllegalArgumentException](
          join.sources(source).tryAdd(wrong)
        ).getMessage.contains(s"source $source (${CubeStream.all(source)})"))
      assert(join.sources(1).tryAdd(of(1, 8, 1)) && join.sources(2).tryAdd(of(2, 8, 1, 1)))
    } finally join.close()
  }
}

class CubeJoin1x1x1Suite extends CubeJoinContract(CubeLayout(1, 1, 1), cases = 40)
class CubeJoin2x2x2Suite extends CubeJoinContract(CubeLayout(2, 2, 2))
class CubeJoin1x3x2Suite extends CubeJoinContract(CubeLayout(1, 3, 2))

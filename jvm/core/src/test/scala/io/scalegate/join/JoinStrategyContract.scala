package io.scalegate.join

import java.util.concurrent.CountDownLatch

import org.scalacheck.Gen
import org.scalactic.anyvals.PosInt
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import io.scalegate.BoundedWait.until
import io.scalegate.band.{AttributeType, Band, IntegralBand}
import io.scalegate.column.WindowLimitException
import io.scalegate.gate.OutOfOrderException
import io.scalegate.join.ordered.{NestedLoopJoin, ScaleJoin}
import io.scalegate.stream.{IdleStrategy, Side, StreamTuple, TimeWindow, Window}
import io.scalegate.{ClosedOperator, OperatorUnderTest, Sample, TestThread}

/** What every join strategy must do; a strategy's suite is one line.
  *
  * @param comparesAll
  *   whether the strategy compares what the sequential join does, each pair once, in equal
  *   shares; one that looks rows up compares at most as much
  * @param cases
  *   random inputs in a campaign; fewer where several suites run one strategy's code, and a sample of them, six at
  *   least, in a run of the tests
  * @param ordered
  *   whether results come in order; otherwise they are compared as sets
  * @param prompt
  *   whether a result comes out without later tuples that push it
  * @param evenly
  *   whether the threads compare equally much
  * @param passes
  *   how many threads store each tuple, one after another
  * @param keyed
  *   whether the strategy needs an equi key: then each spec has one as its first band
  * @param inTime
  *   whether it has windows of time alone, with a key
  */
abstract class JoinStrategyContract(
    strategy: JoinStrategy,
    comparesAll: Boolean = true,
    cases: Int = 150,
    ordered: Boolean = true,
    prompt: Boolean = true,
    evenly: Boolean = true,
    passes: Int = 1,
    keyed: Boolean = false,
    inTime: Boolean = false
) extends AnyFunSuite
    with ScalaCheckPropertyChecks {
  import JoinRuns.{tuple => _, _}
  import Side.{R, S}

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = PosInt.ensuringValid(tried))

  private def tried = if (Sample.isSoak) cases else math.max(cases / 8, math.min(cases, 6))
  private val small = JoinOptions(inputCapacity = 3, outputCapacity = 2)
  private val inputs = JoinCases.begun(
    if (inTime) JoinCases.keyedCasesInTime
    else if (keyed) JoinCases.keyedCases
    else JoinCases.cases
  )
  private val everything = spec(TimeWindow(Long.MinValue, Long.MaxValue))

  private def spec(window: Window, bands: Band*): JoinSpec = {
    val key = if (keyed) Vector(IntegralBand(AttributeType.Int64, 0, 0)) else Vector.empty
    JoinSpec(window, key ++ bands)
  }

  /** All of one key, if there is a key. */
  private def tuple(ts: Long, source: Int, seq: Long, side: Side, attrs: Long*): StreamTuple =
    JoinRuns.tuple(ts, source, seq, side, (if (keyed) 5L +: attrs else attrs): _*)

  private def feeds(input: JoinCase) = input.feeds.map(_._2)

  /** The results as the strategy promises them. */
  private def promised(results: Vector[Definition.Pair]) =
    if (ordered) results else results.sorted

  /** Two sources, strictly alternating, every pair in the window a result. */
  private def alternating(n: Int, spec: JoinSpec): JoinCase = {
    def feed(source: Int, side: Side) =
      Vector.tabulate(n)(i => tuple(2L * i + source, source, i.toLong, side, i % 7L))
    JoinCase(spec, Vector(R -> feed(0, R), S -> feed(1, S)))
  }

  test("gives the definition's pairs in order, one thread feeding in any interleaving") {
    forAll(inputs, Gen.long) { (input, seed) =>
      val results = opened(strategy, input, small)(interleaved(_, feeds(input), seed))
      assert(promised(results) == promised(Definition.results(input)))
    }
  }

  test("gives the definition's pairs in order, a thread for each source") {
    forAll(inputs, minSuccessful(PosInt.ensuringValid(tried * 2 / 5))) { input =>
      val results = opened(strategy, input, small)(threaded(_, feeds(input)))
      assert(promised(results) == promised(Definition.results(input)))
    }
  }

  test("gives the sequential join's results in the same order on a long input") {
    val n = if (Sample.isSoak) 3000 else 1500
    val input = alternating(
      n,
      spec(TimeWindow(-40, 60), IntegralBand(AttributeType.Int32, 0, 2))
    )
    val expected = promised(opened(NestedLoopJoin, input)(interleaved(_, feeds(input), 1)))
    assert(expected.size > 10 * n)
    for (seed <- Sample.some(1 to 3, 1)) {
      val results = opened(strategy, input)(interleaved(_, feeds(input), seed.toLong))
      assert(promised(results) == expected)
    }
    assert(promised(opened(strategy, input)(threaded(_, feeds(input)))) == expected)
  }

  test("no thread's matches are lost: every pair of the cross product, time and again") {
    val input = alternating(120, everything)
    val expected = promised(Definition.results(input))
    assert(expected.size == 120 * 120)
    val options = JoinOptions(inputCapacity = 16, outputCapacity = 128)
    for (_ <- 1 to Sample.rounds(24))
      assert(promised(opened(strategy, input, options)(threaded(_, feeds(input)))) == expected)
  }

  if (prompt) test("a result comes out as soon as no source can deliver anything before it") {
    val join = strategy.open(spec(TimeWindow(-5, 5)), Vector(R, S, S), JoinOptions())
    try {
      assert(join.sources(0).tryAdd(tuple(10, 0, 0, R)))
      assert(join.sources(1).tryAdd(tuple(12, 1, 0, S)))
      join.sources(0).advance(13)
      assert(join.poll() == null, "the third source is silent")
      join.sources(2).advance(13)
      assert(Definition.pair(await(join)) == ((1, 0L, 0, 0L)))
      assert(join.sources(2).tryAdd(tuple(13, 2, 0, S)))
      join.sources(0).advance(14)
      join.sources(1).close()
      assert(Definition.pair(await(join)) == ((2, 0L, 0, 0L)))
      assert(!join.isDone)
    } finally join.close()
  }

  if (prompt)
    test("a silent source that has closed, or has advanced to the end, holds nothing back") {
      for (close <- Seq(true, false)) {
        val join = strategy.open(everything, Vector(R, S, R), JoinOptions())
        try {
          if (close) join.sources(2).close() else join.sources(2).advance(Long.MaxValue)
          assert(join.sources(0).tryAdd(tuple(1, 0, 0, R)))
          assert(join.sources(1).tryAdd(tuple(1, 1, 0, S)))
          join.sources(0).advance(2)
          assert(Definition.pair(await(join)) == ((1, 0L, 0, 0L)))
        } finally join.close()
      }
    }

  test("a feeder that is blocked by flow control goes on when the consumer takes results") {
    val input = alternating(if (Sample.isSoak) 40 else 15, spec(TimeWindow(-20, 20)))
    opened(strategy, input, JoinOptions(inputCapacity = 1, outputCapacity = 1)) { join =>
      assert(promised(threaded(join, feeds(input))) == promised(Definition.results(input)))
    }
  }

  test("sources hold no more than their capacity while nobody takes results") {
    val join = strategy.open(everything, Vector(R, S), small)
    try {
      var added = 0
      def offer(): Boolean = {
        val side = if (added % 2 == 0) R else S
        val t = tuple(added.toLong, added % 2, added.toLong, side)
        val taken = join.sources(added % 2).tryAdd(t)
        if (taken) added += 1
        taken
      }
      until("refusal")(!offer() || added > 10000)
      assert(added <= 10000, "the join buffers without limit")
      until("room") { join.poll(); offer() }
    } finally join.close()
  }

  test("an exception in the predicate reaches the consumer and a blocked feeder unchanged") {
    final class Broken extends RuntimeException("the predicate is broken")
    for (after <- Seq(0, 1, 50)) {
      val broken = new Broken
      val calls = new java.util.concurrent.atomic.AtomicInteger
      val predicate: PairPredicate = (_, _) =>
        if (calls.getAndIncrement() >= after) throw broken else true
      val failing = everything.copy(residual = Some(() => predicate))
      val join = strategy.open(failing, Vector(R, S), small)
      val seen = new java.util.concurrent.ConcurrentLinkedQueue[Throwable]
      val feeders = Vector(R, S).zipWithIndex.map { case (side, i) =>
        val thread = new Thread(() =>
          try
            for (n <- 0 until 100000)
              join.sources(i).add(tuple(n.toLong, i, n.toLong, side), new IdleStrategy.Backoff())
          catch { case e: Throwable => seen.add(e) }
        )
        thread.start()
        thread
      }
      val e = intercept[Broken](drain(join))
      assert(e eq broken)
      feeders.foreach(_.join())
      assert(seen.size == 2)
      seen.forEach(e => assert(e eq broken))
      assert(intercept[Broken](join.poll()) eq broken)
      assert(intercept[Broken](join.sources(0).advance(Long.MaxValue)) eq broken)
      assert(!join.isDone)
      join.close()
      assert(workersAlive.isEmpty)
    }
  }

  test("an exception while the predicate is made reaches the consumer") {
    val failing =
      everything.copy(residual = Some(() => throw new IllegalStateException("no predicate")))
    val e = intercept[IllegalStateException] {
      val join = strategy.open(failing, Vector(R, S), small)
      try drain(join)
      finally join.close()
    }
    assert(e.getMessage == "no predicate")
  }

  private def operator(join: RunningJoin): OperatorUnderTest = new OperatorUnderTest(
    "join",
    join.sources,
    () => join.poll(),
    () => join.frontier,
    () => join.isDone,
    () => join.close(),
    (i, n) => tuple(2L * n + i, i, n, if (i == 0) R else S)
  )

  private def small(spec: JoinSpec): OperatorUnderTest =
    operator(strategy.open(spec, Vector(R, S), small))

  test(
    "a join that was closed says so, to its consumer and its sources, and not that it is done"
  ) {
    ClosedOperator.checkSaysSo(small(everything))
  }

  test("closing ends a consumer that polls and sources that wait for room, and each is told") {
    ClosedOperator.checkTellsThreads(small(spec(TimeWindow(-40, 40))))
  }

  test("closing interrupts a predicate that waits, and the consumer is told of the closing") {
    val waits = new CountDownLatch(1)
    val never = new CountDownLatch(1)
    val predicate: PairPredicate = (_, _) => {
      waits.countDown()
      never.await()
      true
    }
    val waiting = everything.copy(residual = Some(() => predicate))
    val join = strategy.open(waiting, Vector(R, S), small)
    assert(join.sources(0).tryAdd(tuple(1, 0, 0, R)))
    assert(join.sources(1).tryAdd(tuple(1, 1, 0, S)))
    join.sources.foreach(_.close())
    val consumer = new TestThread(while (!join.isDone) join.poll())
    waits.await()
    val isSequential = workersAlive.isEmpty
    if (isSequential) never.countDown() // it waits in the consumer's own thread
    assert(new TestThread(join.close()).end() == null)
    val told = consumer.end()
    assert(workersAlive.isEmpty)
    assert(isSequential || told.getMessage == "the join is closed")
  }

  test("a join that is done stays done when it is closed") {
    ClosedOperator.checkStaysDone(small(everything))
  }

  test("the frontier goes by what the sources promise, though no tuple comes") {
    val join = strategy.open(spec(TimeWindow(-5, 5)), Vector(R, S, S), JoinOptions())
    def frontierIs(time: Long): Unit = {
      until(s"frontier of $time") {
        while (join.poll() != null) ()
        join.frontier >= time
      }
      assert(join.frontier == time)
    }
    try {
      join.sources.foreach(_.advance(7))
      frontierIs(7)
      assert(join.sources(0).tryAdd(tuple(10, 0, 0, R)))
      assert(join.sources(1).tryAdd(tuple(12, 1, 0, S)))
      join.sources(2).advance(100)
      join.sources.foreach(_.advance(1000000))
      if (prompt) assert(Definition.pair(await(join)) == ((1, 0L, 0, 0L)))
      frontierIs(1000000)
      assert(join.sources(2).tryAdd(tuple(1000000, 2, 0, S)))
      join.sources(0).close()
      join.sources.tail.foreach(_.advance(2000000))
      frontierIs(2000000)
      join.sources.foreach(_.close())
      frontierIs(Long.MaxValue)
    } finally join.close()
  }

  if (ordered) test("a heartbeat decides the rows that match nothing, for every join type") {
    val rows = Vector(tuple(10, 0, 0, R), tuple(90, 0, 1, R))
    val others = Vector(tuple(12, 1, 0, S), tuple(50, 1, 1, S))
    for (joinType <- JoinType.all) {
      val of = spec(TimeWindow(0, 5)).copy(joinType = joinType)
      val join = new TypedJoin(strategy).open(of, Vector(R, S))
      try {
        rows.foreach(t => assert(join.sources(0).tryAdd(t)))
        others.foreach(t => assert(join.sources(1).tryAdd(t)))
        join.sources.foreach(_.advance(1000000))
        val expected = (if (joinType.pairs) Seq((12L, 10L, 12L)) else Seq.empty) ++
          (if (joinType.onceR) Seq((12L, 10L, -1L)) else Seq.empty) ++
          (if (joinType.unmatchedS) Seq((50L, -1L, 50L)) else Seq.empty) ++
          (if (joinType.unmatchedR) Seq((95L, 90L, -1L)) else Seq.empty)
        def ts(t: StreamTuple) = if (t == null) -1L else t.ts
        for (row <- expected) {
          var result: TypedResult = null
          until("result") { result = join.poll(); result != null }
          assert((result.ts, ts(result.r), ts(result.s)) == row)
        }
        assert(join.poll() == null && !join.isDone)
      } finally join.close()
    }
  }

  test("a tuple out of order, of another source or with too few attributes is refused by name") {
    val equal = spec(TimeWindow(0, 0), IntegralBand(AttributeType.Int64, 0, 0))
    val join = strategy.open(equal, Vector(R, S), JoinOptions())
    try {
      val source = join.sources(0)
      assert(source.tryAdd(tuple(7, 0, 0, R, 1)))
      val e = intercept[OutOfOrderException](source.tryAdd(tuple(6, 0, 1, R, 1)))
      assert(e.getMessage.contains("source 0 (R)") && e.previousTs == 7 && e.ts == 6)
      for (wrong <- Seq(tuple(8, 1, 1, R, 1), tuple(8, 0, 1, S, 1), tuple(8, 0, 1, R)))
        assert(intercept[IllegalArgumentException](source.tryAdd(wrong)).getMessage.contains(
          "source 0 (R)"
        ))
      assert(source.tryAdd(tuple(8, 0, 1, R, 1)))
    } finally join.close()
  }

  test("a window beyond its limit of rows ends the join with an error that says so") {
    val input = alternating(
      4000,
      spec(
        TimeWindow(Long.MinValue, Long.MaxValue),
        IntegralBand(AttributeType.Int32, 1000, 1000)
      )
    )
    val e = intercept[WindowLimitException] {
      opened(strategy, input, JoinOptions(maxWindowRows = 100))(interleaved(_, feeds(input), 3))
    }
    assert(e.limit == 100)
  }

  test("a silent stream does not let the other's window grow, and expired payloads are dropped") {
    val input = JoinCase(
      spec(TimeWindow(-10, 10)),
      Vector(
        R -> Vector.tabulate(5000)(i => tuple(i.toLong, 0, i.toLong, R)),
        S -> Vector.empty[StreamTuple]
      )
    )
    opened(strategy, input) { join =>
      assert(interleaved(join, feeds(input), 5).isEmpty)
      assert(join.metrics.peakWindowRows <= 12 * join.metrics.workers.length)
    }
  }

  test(
    if (comparesAll)
      "the metrics count every comparison, match and stored tuple once" +
        (if (evenly) ", evenly over the threads" else "")
    else "the metrics count every match and stored tuple once, and no more comparisons than pairs"
  ) {
    // How evenly threads share the comparisons shows in many tuples, and what is counted in few.
    val n = if (comparesAll || Sample.isSoak) 3000 else 1000
    def metrics(s: JoinStrategy, width: Long) = {
      val band = IntegralBand(AttributeType.Int32, 0, 0)
      val input = alternating(n, spec(TimeWindow(-width, width), band))
      opened(s, input) { join =>
        val results = interleaved(join, feeds(input), 9)
        assert(join.metrics.matches == results.size)
        join.metrics
      }
    }
    val m = metrics(strategy, 400)
    // Threads find in an index what has left the window, until one of them comes to expire it.
    val isExpiredLate = !comparesAll && m.workers.size > 1
    val pairs = metrics(NestedLoopJoin, if (isExpiredLate) 3000 else 400).comparisons
    assert(m.stored == 2L * n * passes)
    if (comparesAll) {
      assert(m.comparisons == pairs)
      assert(!evenly || m.skew < 0.01)
      assert(m.workers.forall(_.comparisons > 0))
    } else assert(m.matches <= m.comparisons && m.comparisons <= pairs)
  }

  test("tuples before the first result are stored, and compared with none") {
    val n = if (Sample.isSoak) 600 else 200
    val whole = alternating(n, spec(TimeWindow(-2000, 2000)))
    val compared = Seq(n.toLong, Long.MaxValue).map { from =>
      val input = whole.copy(spec = whole.spec.copy(from = from))
      opened(strategy, input) { join =>
        val results = interleaved(join, feeds(input), 11)
        assert(promised(results) == promised(Definition.results(input)))
        assert(join.metrics.stored == 2L * n * passes)
        join.metrics.comparisons
      }
    }
    // The later half of the tuples, each with those of the other stream before it.
    assert(compared == Seq(3L * n * n / 4, 0L))
  }

  test("nothing comes below the frontier, which rises to the end") {
    val input = alternating(300, spec(TimeWindow(-6, 6)))
    opened(strategy, input) { join =>
      var frontier = Long.MinValue
      def takeOne(): Boolean = {
        val now = join.frontier
        assert(now >= frontier)
        frontier = now
        val result = join.poll()
        assert(result == null || result.ts >= frontier)
        result != null
      }
      for (i <- 0 until 300; s <- 0 to 1) until("room") {
        takeOne()
        join.sources(s).tryAdd(feeds(input)(s)(i))
      }
      if (prompt) {
        join.sources.foreach(_.advance(1000))
        until("a frontier at the last tuple") {
          while (takeOne()) ()
          join.frontier >= 599
        }
      }
      join.sources.foreach(_.close())
      until("end of the results") {
        while (takeOne()) ()
        join.isDone
      }
      assert(join.frontier == Long.MaxValue)
    }
  }

  test("an advanced source cannot go back") {
    val join = strategy.open(everything, Vector(R, S), JoinOptions())
    try {
      join.sources(0).advance(10)
      intercept[OutOfOrderException](join.sources(0).tryAdd(tuple(9, 0, 0, R)))
      assert(join.sources(0).tryAdd(tuple(10, 0, Long.MinValue, R))) // any number of that time
      assert(join.sources(0).tryAdd(tuple(10, 0, 0, R)))
    } finally join.close()
  }
}

class NestedLoopJoinSuite extends JoinStrategyContract(NestedLoopJoin)
class ScaleJoin1Suite extends JoinStrategyContract(new ScaleJoin(1), cases = 40)
class ScaleJoin2Suite extends JoinStrategyContract(new ScaleJoin(2))
class ScaleJoin3Suite extends JoinStrategyContract(new ScaleJoin(3), cases = 60)
class ScaleJoin8Suite extends JoinStrategyContract(new ScaleJoin(8), cases = 40)

package io.scalegate.join

import java.util.SplittableRandom

import scala.collection.mutable

import org.scalacheck.Gen
import org.scalactic.anyvals.PosInt
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import io.scalegate.BoundedWait.until
import io.scalegate.join.matrix.{MatrixJoin, MatrixLayout}
import io.scalegate.stream.{
  CountWindow,
  EventOrder,
  IdleStrategy,
  Side,
  StreamTuple,
  TimeWindow,
  Window
}

/** Every join type on several strategies, against its definition: rows, order, and when they come. */
final class TypedJoinSuite extends AnyFunSuite with ScalaCheckPropertyChecks {
  import JoinRuns.tuple
  import Side.{R, S}

  /** A result's time, and the source and number of each tuple that it has. */
  private type Row = (Long, Option[(Int, Long)], Option[(Int, Long)])

  private def place(t: StreamTuple): Option[(Int, Long)] = Option(t).map(x => (x.source, x.seq))
  private def row(result: TypedResult): Row = (result.ts, place(result.r), place(result.s))

  private val order: Ordering[StreamTuple] = EventOrder.Tuples.compare(_, _)

  /** The last time at which a tuple can match, by the definition of the window. */
  private def deadline(window: Window, t: StreamTuple, own: Vector[StreamTuple]): Long =
    window match {
      case TimeWindow(lower, upper) =>
        val reach = if (t.side eq R) BigInt(upper) else -BigInt(lower)
        (BigInt(t.ts) + reach.max(0)).min(Long.MaxValue).toLong
      case CountWindow(size) =>
        val at = own.indexOf(t)
        if (own.length - at > size) own(at + size.toInt).ts else Long.MaxValue
    }

  private def defined(input: JoinCase, joinType: JoinType): Vector[Row] = {
    val at = input.tuples.map(t => (t.source, t.seq) -> t).toMap
    val pairs = Definition.results(input).map { case (source, seq, source2, seq2) =>
      val (later, earlier) = (at((source, seq)), at((source2, seq2)))
      if (later.side eq R) (later.ts, later, earlier) else (later.ts, earlier, later)
    }
    val matched = pairs.flatMap { case (_, r, s) => Seq(r, s) }.toSet
    def lone(side: Side) = {
      val own = input.tuples.filter(_.side eq side).sorted(order)
      own.filterNot(matched).map(t => deadline(input.spec.window, t, own) -> t)
    }
    val lones = ((if (joinType.loneR) lone(R) else Vector.empty) ++
      (if (joinType.loneS) lone(S) else Vector.empty))
      .sortBy(_._2)(order)
      .map { case (ts, t) =>
        (ts, 1, (ts, if (t.side eq R) place(t) else None, if (t.side eq S) place(t) else None))
      }
    val chosen =
      if (joinType.pairs) pairs.map { case (ts, r, s) => (ts, 0, (ts, place(r), place(s))) }
      else if (joinType.onceR)
        pairs.distinctBy(_._2).map { case (ts, r, _) => (ts, 0, (ts, place(r), None)) }
      else Vector.empty
    (chosen ++ lones).sortBy(x => (x._1, x._2)).map(_._3)
  }

  private def drain(join: RunningTypedJoin, into: mutable.Builder[Row, Vector[Row]]): Boolean = {
    val result = join.poll()
    if (result != null) into += row(result)
    result != null
  }

  /** One thread is every source and the consumer, in random turns. */
  private def interleaved(join: RunningTypedJoin, input: JoinCase, seed: Long): Vector[Row] = {
    val random = new SplittableRandom(seed)
    val rows = Vector.newBuilder[Row]
    val feeds = input.feeds.map(_._2)
    val open = mutable.ArrayBuffer.from(feeds.indices)
    val position = new Array[Int](feeds.length)
    while (open.nonEmpty) {
      val i = open(random.nextInt(open.length))
      if (position(i) == feeds(i).length) {
        join.sources(i).close()
        open -= i
      } else if (random.nextInt(8) == 0) join.sources(i).advance(feeds(i)(position(i)).ts)
      else if (join.sources(i).tryAdd(feeds(i)(position(i)))) position(i) += 1
      else {
        // Full: the input up to here is joined first, which another source may hold back.
        while (drain(join, rows)) ()
        Thread.`yield`()
      }
      if (random.nextInt(3) == 0) drain(join, rows)
    }
    until("end of the results") {
      while (drain(join, rows)) ()
      join.isDone
    }
    rows.result()
  }

  /** A thread for each source. */
  private def threaded(join: RunningTypedJoin, input: JoinCase): Vector[Row] = {
    val feeders = input.feeds.map(_._2).zip(join.sources).map { case (feed, source) =>
      val thread = new Thread(() => {
        feed.foreach(source.add(_, new IdleStrategy.Backoff()))
        source.close()
      })
      thread.start()
      thread
    }
    val rows = Vector.newBuilder[Row]
    until("end of the results") {
      while (drain(join, rows)) ()
      join.isDone
    }
    feeders.foreach(_.join())
    rows.result()
  }

  private val strategies =
    Seq(NestedLoopJoin, new ScaleJoin(2), new MatrixJoin(MatrixLayout(2, 1)))
  private val small = JoinOptions(inputCapacity = 3, outputCapacity = 2)

  private def run(join: TypedJoin, joinType: JoinType, input: JoinCase)(
      body: RunningTypedJoin => Vector[Row]
  ): Vector[Row] = {
    val running = join.open(input.spec.copy(joinType = joinType), input.sides, small)
    try body(running)
    finally running.close()
  }

  for (joinType <- JoinType.all; strategy <- strategies) {
    val join = new TypedJoin(strategy)
    val cases = PosInt.ensuringValid(if (strategy eq NestedLoopJoin) 60 else 10)

    test(s"$joinType, ${join.name}: the definition's results in order") {
      forAll(JoinCases.cases, Gen.long, minSuccessful(cases)) { (input, seed) =>
        val results = run(join, joinType, input)(interleaved(_, input, seed))
        assert(results == defined(input, joinType))
      }
    }

    test(s"$joinType, ${join.name}: the same with a thread for each source") {
      forAll(JoinCases.cases, minSuccessful(3)) { input =>
        assert(run(join, joinType, input)(threaded(_, input)) == defined(input, joinType))
      }
    }
  }

  test("a tuple that matches nothing comes out as soon as its window has passed") {
    val join = new TypedJoin(NestedLoopJoin)
      .open(JoinSpec(TimeWindow(-2, 5), joinType = JoinType.FullOuter), Vector(R, S))
    try {
      assert(join.sources(0).tryAdd(tuple(10, 0, 0, R)))
      assert(join.sources(1).tryAdd(tuple(1, 1, 0, S)))
      join.sources(0).advance(15)
      join.sources(1).advance(15)
      assert(row(join.poll()) == ((3L, None, Some((1, 0L)))))
      assert(join.poll() == null, "at 15 the first tuple of R may still match")
      join.sources(1).advance(16)
      assert(join.sources(0).tryAdd(tuple(16, 0, 1, R)))
      assert(row(join.poll()) == ((15L, Some((0, 0L)), None)))
      assert(!join.isDone)
    } finally join.close()
  }

  test("a tuple that was refused, and never offered again, is no result") {
    val join = new TypedJoin(NestedLoopJoin).open(
      JoinSpec(TimeWindow(0, 0), joinType = JoinType.LeftOuter),
      Vector(R, S),
      JoinOptions(inputCapacity = 1)
    )
    try {
      assert(join.sources(0).tryAdd(tuple(1, 0, 0, R)))
      assert(!join.sources(0).tryAdd(tuple(2, 0, 1, R)))
      join.sources.foreach(_.close())
      val rows = Vector.newBuilder[Row]
      until("end") { while (drain(join, rows)) (); join.isDone }
      assert(rows.result() == Vector((1L, Some((0, 0L)), None)))
    } finally join.close()
  }

  test("a failure reaches the consumer unchanged") {
    val broken = new IllegalStateException("the predicate is broken")
    val spec =
      JoinSpec(
        TimeWindow(-9, 9),
        residual = Some(() => (_: StreamTuple, _: StreamTuple) => throw broken)
      )
    val join = new TypedJoin(new ScaleJoin(2)).open(spec, Vector(R, S))
    try {
      assert(join.sources(0).tryAdd(tuple(1, 0, 0, R)))
      assert(join.sources(1).tryAdd(tuple(2, 1, 0, S)))
      join.sources.foreach(_.close())
      var caught: Throwable = null
      until("failure") {
        try join.poll()
        catch { case e: IllegalStateException => caught = e }
        caught != null
      }
      assert(caught eq broken)
      assert(!join.isDone)
    } finally join.close()
  }

  test("a strategy alone refuses a type that it does not give") {
    val spec = JoinSpec(TimeWindow(0, 0), joinType = JoinType.FullOuter)
    for (strategy <- strategies) {
      val e = intercept[IllegalArgumentException](strategy.open(spec, Vector(R, S)))
      assert(e.getMessage.contains("open a FullOuter join by TypedJoin"))
    }
  }
}

package io.scalegate.join

import java.util.SplittableRandom

import scala.collection.mutable

import org.scalacheck.Gen
import org.scalactic.anyvals.PosInt
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import io.scalegate.BoundedWait.until
import io.scalegate.join.ordered.NestedLoopJoin
import io.scalegate.stream.{IdleStrategy, Side, TimeWindow}
import io.scalegate.{ClosedOperator, OperatorUnderTest, Sample}

/** Every join type on several strategies, against its definition: rows, order, and when they come. */
abstract class TypedJoinContract(strategies: Seq[JoinStrategy]) extends AnyFunSuite
    with ScalaCheckPropertyChecks {
  import JoinRuns.tuple
  import Side.{R, S}
  import TypedDefinition.{Row, row}

  protected def drain(
      join: RunningTypedJoin,
      into: mutable.Builder[Row, Vector[Row]]
  ): Boolean = {
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
    val all = if (strategy eq NestedLoopJoin) 60 else 10
    val cases = PosInt.ensuringValid(if (Sample.isSoak) all else math.max(all / 8, 5))

    test(s"$joinType, ${join.name}: the definition's results in order") {
      forAll(JoinCases.cases, Gen.long, minSuccessful(cases)) { (input, seed) =>
        val results = run(join, joinType, input)(interleaved(_, input, seed))
        assert(results == TypedDefinition.results(input, joinType))
      }
    }

    test(s"$joinType, ${join.name}: the same with a thread for each source") {
      val few = PosInt.ensuringValid(if (Sample.isSoak) 3 else 2)
      forAll(JoinCases.cases, minSuccessful(few)) { input =>
        assert(run(join, joinType, input)(threaded(_, input)) == TypedDefinition.results(
          input,
          joinType
        ))
      }
    }
  }

  private def operator(strategy: JoinStrategy): OperatorUnderTest = {
    val spec = JoinSpec(TimeWindow(-9, 9), joinType = JoinType.FullOuter)
    val join = new TypedJoin(strategy).open(spec, Vector(R, S), small)
    new OperatorUnderTest(
      "join",
      join.sources,
      () => join.poll(),
      () => join.frontier,
      () => join.isDone,
      () => join.close(),
      (i, n) => tuple(2L * n + i, i, n, if (i == 0) R else S)
    )
  }

  for (strategy <- strategies)
    test(s"${strategy.name}: a join that was closed says so, and invents no outer row") {
      ClosedOperator.checkSaysSo(operator(strategy))
      ClosedOperator.checkTellsThreads(operator(strategy))
      ClosedOperator.checkStaysDone(operator(strategy))
    }

  test("nothing comes below the frontier, which follows pairs, decisions and promises") {
    for (strategy <- strategies) {
      val spec = JoinSpec(TimeWindow(-2, 5), joinType = JoinType.FullOuter)
      val join = new TypedJoin(strategy).open(spec, Vector(R, S))
      try {
        def reach(time: Long): Unit = {
          until(s"frontier of $time") {
            val before = join.frontier
            val result = join.poll()
            assert(result == null || result.ts >= before)
            assert(join.frontier >= before)
            join.frontier >= time
          }
          assert(join.frontier == time)
        }
        join.sources.foreach(_.advance(5))
        reach(5)
        for (i <- 0 until 20) {
          assert(join.sources(0).tryAdd(tuple(10L + 3 * i, 0, i.toLong, R)))
          assert(join.sources(1).tryAdd(tuple(11L + 4 * i, 1, i.toLong, S)))
        }
        join.sources.foreach(_.advance(1000))
        reach(1000)
        join.sources.foreach(_.close())
        reach(Long.MaxValue)
      } finally join.close()
    }
  }

  test("a strategy alone refuses a type that it does not give") {
    val spec = JoinSpec(TimeWindow(0, 0), joinType = JoinType.FullOuter)
    for (strategy <- strategies) {
      val e = intercept[IllegalArgumentException](strategy.open(spec, Vector(R, S)))
      assert(e.getMessage.contains("open a FullOuter join by TypedJoin"))
    }
  }
}

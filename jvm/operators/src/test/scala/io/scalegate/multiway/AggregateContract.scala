package io.scalegate.multiway

import org.scalacheck.Gen
import org.scalactic.anyvals.PosInt
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import io.scalegate.BoundedWait.until
import io.scalegate.gate.OutOfOrderException
import io.scalegate.multiway.function.{AggregateFunction, Counted, Functions}
import io.scalegate.stream.{SlidingWindows, StreamTuple}
import io.scalegate.{ClosedOperator, Sample}

/** What every aggregate design must do; a design's suite is one line.
  *
  * @param ordered
  *   whether the design takes order-sensitive functions
  * @param merges
  *   whether it merges states
  * @param subtracts
  *   whether it uses the inverse of a function that has one
  * @param cases
  *   random inputs in a campaign, and a sample of them in a run of the tests
  */
abstract class AggregateContract(
    design: AggregateDesign,
    ordered: Boolean = true,
    merges: Boolean = false,
    subtracts: Boolean = false,
    cases: Int = 150
) extends AnyFunSuite
    with ScalaCheckPropertyChecks {
  import AggregateCases._
  import AggregateFaults.{Fault, Faulty, FaultyInverse, Places}
  import AggregateRuns._

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = PosInt.ensuringValid(Sample.few(cases)))

  private val collected: Collected = if (ordered) Sequence else Contents
  private val small = AggregateOptions(inputCapacity = 3, winsetCapacity = 2)
  private val four = SlidingWindows(4, 2)

  private def spec[S <: AnyRef, R](
      windows: SlidingWindows,
      function: AggregateFunction[StreamTuple, S, R]
  ) = AggregateSpec[String, S, R](windows, key, function, Some(keyOrder))

  private def defined(input: AggregateCase) =
    AggregateDefinition.results(input)(_.map(place))

  private def walk(
      inputs: Int,
      n: Int,
      seed: Long,
      windows: SlidingWindows,
      jump: Long = 0L
  ): AggregateCase = AggregateCase(windows, AggregateCases.walk(inputs, n, seed, 1000L, jump))

  test("gives the definition's windows in order, one thread feeding in any interleaving") {
    forAll(AggregateCases.cases, Gen.long) { (input, seed) =>
      val of = spec(input.windows, collected)
      val results = opened(design, of, input.feeds.size, small)(interleaved(_, input.feeds, seed))
      assert(results == defined(input))
    }
  }

  test("gives the definition's windows in order, a thread for each input") {
    forAll(
      AggregateCases.cases,
      minSuccessful(PosInt.ensuringValid(Sample.few(cases * 2 / 5)))
    ) { input =>
      val of = spec(input.windows, collected)
      val results = opened(design, of, input.feeds.size, small)(threaded(_, input.feeds))
      assert(results == defined(input))
    }
  }

  test("no tuple is lost or counted twice, time and again") {
    for (windows <- Seq(SlidingWindows(20, 2), SlidingWindows(7, 3), SlidingWindows(3, 8))) {
      val input = walk(4, if (Sample.isSoak) 1500 else 500, 5, windows)
      val expected = AggregateDefinition.results(input)(ts =>
        Vector[Any](ts.size.toLong, ts.map(_.attrs(0)).sum, ts.map(_.attrs(0)).minOption)
      )
      val function = Functions.several[StreamTuple](
        Functions.count,
        Functions.sum[StreamTuple](_.attrs(0)),
        Functions.min[StreamTuple, Long](_.attrs(0))
      )
      for (_ <- 1 to Sample.rounds(8)) {
        val options = AggregateOptions(inputCapacity = 64, winsetCapacity = 16)
        val results =
          opened(design, spec(windows, function), 4, options)(threaded(_, input.feeds))
        assert(results == expected)
      }
    }
  }

  test("a function that rounds gives the same to the last bit in every run") {
    val input = walk(3, 800, 9, SlidingWindows(30, 3))
    val of = spec(input.windows, Functions.variance[StreamTuple](t => 1.0 / (1 + t.attrs(0))))
    val first = opened(design, of, 3)(interleaved(_, input.feeds, 1))
    for (seed <- 2 to 4)
      assert(opened(design, of, 3)(interleaved(_, input.feeds, seed.toLong)) == first)
    for (_ <- 1 to 4) assert(opened(design, of, 3)(threaded(_, input.feeds)) == first)
  }

  test("a sum of doubles is the exact one, rounded once, in whatever order it was added") {
    val input = walk(3, 300, 4, SlidingWindows(12, 4))
    def value(t: StreamTuple): Double = 1e17 / (t.attrs(0) - 500.5)
    val of = spec(input.windows, Functions.sumOfDoubles[StreamTuple](value(_)))
    val expected = AggregateDefinition.results(input)(
      _.map(t => new java.math.BigDecimal(value(t))).reduce(_ add _).doubleValue
    )
    assert(opened(design, of, 3)(threaded(_, input.feeds)) == expected)
  }

  if (ordered) test("first and last are those of the total order, whatever the interleaving") {
    val input = walk(4, 300, 3, SlidingWindows(10, 2))
    val expected = AggregateDefinition.results(input)(ts =>
      Vector[Any](
        ts.headOption.map(place),
        ts.lastOption.map(place),
        ts.find(_.attrs(0) > 500).map(place)
      )
    )
    val function = Functions.several[StreamTuple](
      Functions.first[StreamTuple, Any](place(_)),
      Functions.last[StreamTuple, Any](place(_)),
      Functions.firstThat[StreamTuple, Any](_.attrs(0) > 500, place(_))
    )
    for (seed <- 1 to 3) {
      val of = spec(input.windows, function)
      assert(opened(design, of, 4)(interleaved(_, input.feeds, seed.toLong)) == expected)
    }
    assert(opened(design, spec(input.windows, function), 4)(threaded(_, input.feeds)) == expected)
  }
  else test("an order-sensitive function is refused, with what to use instead") {
    val e = intercept[IllegalArgumentException] {
      design.open(spec(four, Functions.first[StreamTuple, Any](place(_))), 2)
    }
    assert(e.getMessage.contains("first") && e.getMessage.contains("TuMLSC"))
  }

  test("keys come in any order where none is asked for, and all of them") {
    val input = walk(2, 200, 2, SlidingWindows(10, 5))
    val of = AggregateSpec[String, Counted, Long](input.windows, key, Functions.count)
    val results = opened(design, of, 2)(threaded(_, input.feeds))
    val sorted = results.map { case (start, rows) => start -> rows.sortBy(_._1)(keyOrder) }
    assert(sorted == AggregateDefinition.results(input)(_.size.toLong))
  }

  test("without a key to group by there is one row for each window") {
    val input = walk(3, 100, 8, SlidingWindows(12, 4))
    val of = AggregateSpec[String, Counted, Long](input.windows, _ => null, Functions.count)
    val results = opened(design, of, 3)(threaded(_, input.feeds))
    assert(results.forall(_._2.map(_._1) == Vector(null)))
    assert(results.map(_._2.head._2) ==
      AggregateDefinition.results(input)(_.size.toLong).map(_._2.map(_._2).sum))
  }

  test("several attributes make one key, as a tuple or a case class, with its own order") {
    checkGroups(t => (key(t), t.attrs(0) % 3))
    checkGroups(t => Meter(key(t), t.attrs(0) % 3))
  }

  private def checkGroups[K: Ordering](by: StreamTuple => K): Unit = {
    val input = walk(3, 200, 6, SlidingWindows(12, 4))
    val order = Some(implicitly[Ordering[K]])
    val of = AggregateSpec[K, Vector[StreamTuple], Places](input.windows, by, collected, order)
    assert(opened(design, of, 3)(threaded(_, input.feeds)) ==
      AggregateDefinition.byKey(input.windows, input.feeds.flatten, by)(_.map(place)))
  }

  test("a window comes out as soon as no input can deliver anything into it") {
    opened(design, spec(four, collected), 2) { aggregate =>
      assert(aggregate.sources(0).tryAdd(tuple(1, 0, 0)))
      assert(aggregate.sources(1).tryAdd(tuple(2, 1, 0)))
      aggregate.sources(0).advance(2)
      assert(await(aggregate).start == -2, "[-2, 2) ends before 2")
      aggregate.sources(0).advance(9)
      aggregate.sources(1).advance(3)
      assert(aggregate.poll() == null, "input 1 may still deliver at 3, into [0, 4)")
      aggregate.sources(1).advance(4)
      assert(await(aggregate).toVector == Vector("a" -> Vector((1L, 0, 0L), (2L, 1, 0L))))
      assert(aggregate.poll() == null)
      aggregate.sources(1).close()
      assert(await(aggregate).start == 2)
      assert(aggregate.poll() == null && !aggregate.isDone)
      aggregate.sources(0).close()
      until("end")(aggregate.poll() == null && aggregate.isDone)
    }
  }

  test("a silent input that has closed, or has advanced to the end, holds nothing back") {
    for (close <- Seq(true, false))
      opened(design, spec(four, collected), 2) { aggregate =>
        if (close) aggregate.sources(1).close() else aggregate.sources(1).advance(Long.MaxValue)
        assert(aggregate.sources(0).tryAdd(tuple(1, 0, 0)))
        assert(aggregate.poll() == null)
        assert(aggregate.sources(0).tryAdd(tuple(2, 0, 1)))
        assert(await(aggregate).start == -2)
      }
  }

  test("an aggregate of nothing ends with nothing") {
    opened(design, spec(four, collected), 3) { aggregate =>
      assert(aggregate.poll() == null && !aggregate.isDone)
      aggregate.sources.foreach(_.close())
      aggregate.sources.foreach(_.close())
      until("end")(aggregate.isDone)
      assert(aggregate.poll() == null && aggregate.frontier == Long.MaxValue)
    }
  }

  test("inputs hold no more than their capacity while nobody takes results") {
    val options = AggregateOptions(inputCapacity = 5, winsetCapacity = 4)
    opened(design, spec(SlidingWindows(1, 1), collected), 2, options) { aggregate =>
      var added = 0
      val patience = new io.scalegate.stream.IdleStrategy.Backoff()
      var refusals = 0
      var ts = 0L
      while (refusals < 200)
        if (aggregate.sources(0).tryAdd(tuple(ts, 0, 0))) {
          added += 1
          ts += 1
          aggregate.sources(1).advance(ts)
        } else {
          refusals += 1
          patience.idle()
        }
      assert(added >= 4 && added <= 5 + 4 + 2)
      assert(await(aggregate).start == 0)
      until("room")(aggregate.poll() != null || aggregate.sources(0).tryAdd(tuple(ts, 0, 0)))
    }
  }

  test("a tuple out of order is refused with the input and both times, and the input goes on") {
    opened(design, spec(four, collected), 1) { aggregate =>
      val source = aggregate.sources(0)
      assert(source.tryAdd(tuple(5, 0, 3)))
      for (late <- Seq(tuple(4, 0, 9), tuple(5, 0, 3), tuple(5, 0, 2))) {
        val e = intercept[OutOfOrderException](source.tryAdd(late))
        assert(e.getMessage.contains("input 0") && e.getMessage.contains("time 5"))
      }
      source.advance(8)
      intercept[OutOfOrderException](source.tryAdd(tuple(7, 0, 4)))
      assert(source.tryAdd(tuple(
        8,
        0,
        Long.MinValue
      ))) // a promise leaves room for all of its time
      intercept[OutOfOrderException](source.tryAdd(tuple(8, 0, Long.MinValue)))
      assert(source.tryAdd(tuple(8, 0, 4)))
      source.close()
      intercept[IllegalStateException](source.tryAdd(tuple(9, 0, 5)))
      val results = new Consumer(aggregate).drain()
      assert(
        results.flatMap(_._2.flatMap(_._2.asInstanceOf[Vector[(Long, Int, Long)]])).distinct ==
          Vector((5L, 0, 3L), (8L, 0, Long.MinValue), (8L, 0, 4L))
      )
    }
  }

  test("null and a tuple of another input are refused, and the aggregate goes on") {
    opened(design, spec(four, collected), 2) { aggregate =>
      intercept[NullPointerException](aggregate.sources(0).tryAdd(null))
      intercept[IllegalArgumentException](aggregate.sources(0).tryAdd(tuple(1, 1, 0)))
      assert(aggregate.sources(0).tryAdd(tuple(1, 0, 0)))
      aggregate.sources.foreach(_.close())
      assert(new Consumer(aggregate).drain().size == 2)
    }
  }

  /** The aggregate ends as it must, whichever of the parts throws: at all of these calls in a campaign, at one of them,
    * another for each part and window, in a run of the tests, and several parts in one of the windows each.
    */
  private def checkEnds(parts: String*)(windows: SlidingWindows*)(
      function: Fault => AggregateFunction[StreamTuple, Vector[StreamTuple], Places]
  ): Unit =
    for ((w, i) <- windows.zipWithIndex) {
      val input = walk(2, 300, 11, w, jump = 50)
      val expected = defined(input)
      for {
        (part, j) <- parts.zipWithIndex
        if Sample.isSoak || parts.size == 1 || j % windows.size == i
        call <- Sample.turn(Seq(1, 150, 20, 75), 2 * i + j)
      }
        withClue(s"$part, call $call, $w: ") {
          AggregateFaults.checkEnds(input.feeds, expected) {
            val fault = new Fault(part, call)
            val of = AggregateSpec(
              w,
              fault.key(_),
              fault.where(function(fault)),
              Some(fault.keyOrder)
            )
            design.open(of, 2, small)
          }
        }
    }

  private val tens = SlidingWindows(20, 2)

  test("a function that throws ends the aggregate with its exception, and no thread stays") {
    checkEnds("create", "add", "predicate", "result")(tens, four)(new Faulty(_))
  }

  test("a key or an order of keys that throws ends the aggregate in the same way") {
    checkEnds("key", "key order")(tens, four)(new Faulty(_))
  }

  if (merges) test("a merge that throws, of lanes or panes, ends the aggregate in the same way") {
    checkEnds("merge")(tens, four)(new Faulty(_))
  }

  if (subtracts) test("an invertible function that throws ends the aggregate in the same way") {
    checkEnds("create", "add", "merge", "subtract", "result")(tens)(new FaultyInverse(_))
  }

  private def closable() = operator(design.open(spec(four, collected), 2, small))

  test(
    "an aggregate that was closed says so, to its consumer and inputs, and not that it is done"
  ) {
    ClosedOperator.checkSaysSo(closable())
  }

  test("closing ends a consumer that polls and inputs that wait for room, and each is told") {
    ClosedOperator.checkTellsThreads(closable())
  }

  test("an aggregate that is done stays done when it is closed") {
    ClosedOperator.checkStaysDone(closable())
  }

  test("the frontier goes by what the inputs promise, though no tuple comes") {
    opened(design, spec(four, collected), 2)(checkFrontier(_))
  }

  test("an aggregate needs inputs") {
    intercept[IllegalArgumentException](design.open(spec(four, collected), 0))
  }
}

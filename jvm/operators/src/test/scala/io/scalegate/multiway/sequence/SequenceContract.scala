package io.scalegate.multiway.sequence

import org.scalacheck.Gen
import org.scalactic.anyvals.PosInt
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import io.scalegate.BoundedWait.until
import io.scalegate.multiway.design.{MQ, MQLF, TuMLMC, TuMLSC, WiML}
import io.scalegate.multiway.function.{AggregateFunction, Counted, Functions}
import io.scalegate.multiway.{
  AggregateCases,
  AggregateDesign,
  AggregateFaults,
  AggregateOptions,
  AggregateRuns,
  IdleTimeouts,
  Meter,
  PaneAggregate,
  RunningAggregate,
  SequenceSpec,
  SequenceWindows
}
import io.scalegate.stream.{EventOrder, StreamTuple}
import io.scalegate.{ClosedOperator, Sample}

/** What a design must do that takes windows of tuples and sessions; its suite is one line.
  *
  * @param cases
  *   random inputs in a campaign, and a sample of them in a run of the tests
  */
abstract class SequenceContract(design: AggregateDesign, cases: Int = 120) extends AnyFunSuite
    with ScalaCheckPropertyChecks {
  import AggregateCases._
  import AggregateFaults.{Fault, Faulty, FaultyInverse, Places}
  import AggregateRuns._
  import SequenceContract._

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = PosInt.ensuringValid(Sample.few(cases)))

  private val small = AggregateOptions(inputCapacity = 3, winsetCapacity = 2)

  private def spec(windows: SequenceWindows) =
    SequenceSpec[String, Vector[StreamTuple], Places](windows, key, Sequence)

  private def opened[K, A](of: SequenceSpec[K, _ <: AnyRef, A], inputs: Int)(
      body: RunningAggregate[K, A] => KeyedRows[K, A]
  ): KeyedRows[K, A] = {
    val aggregate = openedFor(of, inputs)
    try body(aggregate)
    finally aggregate.close()
  }

  private def openedFor[K, S <: AnyRef, A](of: SequenceSpec[K, S, A], inputs: Int) =
    design.openSequences(of, inputs, small)

  private def walk(inputs: Int, n: Int): Vector[Vector[StreamTuple]] =
    AggregateCases.walk(inputs, n, seed = 7, values = 3L)

  test("gives the definition's windows in order, one thread feeding in any interleaving") {
    forAll(windows, AggregateCases.cases, Gen.long) { (w, input, seed) =>
      val rows = opened(spec(w), input.feeds.size)(interleaved(_, input.feeds, seed))
      assert(rows == defined(w, input.feeds))
    }
  }

  test("gives the definition's windows in order, a thread for each input") {
    forAll(
      windows,
      AggregateCases.cases,
      minSuccessful(PosInt.ensuringValid(Sample.few(cases / 2)))
    ) {
      (w, input) =>
        val rows = opened(spec(w), input.feeds.size)(threaded(_, input.feeds))
        assert(rows == defined(w, input.feeds))
    }
  }

  test("gives the same rows in the same order, run after run") {
    val random = new java.util.SplittableRandom(3)
    val feeds = Vector.tabulate(4) { i =>
      var ts = 0L
      Vector.tabulate(if (Sample.isSoak) 800 else 400) { seq =>
        ts += random.nextInt(3).toLong
        tuple(ts, i, seq.toLong, s"k${random.nextInt(40)}")
      }
    }
    for (w <- Seq(SequenceWindows.Tuples(20, 3), SequenceWindows.Sessions(12))) {
      val expected = defined(w, feeds)
      assert(expected.size > 50)
      for (_ <- 1 to Sample.rounds(8)) assert(opened(spec(w), 4)(threaded(_, feeds)) == expected)
    }
  }

  test("a session comes when no input can add to it, before any closes") {
    val aggregate = design.openSequences(spec(SequenceWindows.Sessions(5)), 2)
    try {
      assert(aggregate.sources(0).tryAdd(tuple(1, 0, 0)))
      assert(aggregate.sources(1).tryAdd(tuple(3, 1, 0)))
      aggregate.sources(0).advance(8)
      aggregate.sources(1).advance(7)
      until("reading")(aggregate.poll() == null && aggregate.frontier == 3)
      aggregate.sources(1).advance(8)
      val session = await(aggregate)
      assert((session.start, session.end) == ((1L, 3L)))
      assert(session.toVector == Vector("a" -> Vector((1L, 0, 0L), (3L, 1, 0L))))
    } finally aggregate.close()
  }

  test("a window of tuples comes with its last tuple, before any input closes") {
    val aggregate = design.openSequences(spec(SequenceWindows.Tuples(3, 2)), 2)
    try {
      assert(aggregate.sources(0).tryAdd(tuple(1, 0, 0)))
      assert(aggregate.sources(0).tryAdd(tuple(4, 0, 1)))
      assert(aggregate.poll() == null)
      aggregate.sources(1).advance(5)
      assert(await(aggregate).end == 4)
    } finally aggregate.close()
  }

  test("several attributes make one key, as a tuple or a case class, and a constant none") {
    checkGroups(t => (key(t), t.attrs(0)))
    checkGroups(t => Meter(key(t), t.attrs(0)))
    checkGroups[String](_ => null)
  }

  private def checkGroups[K](by: StreamTuple => K): Unit =
    for (w <- Seq(SequenceWindows.Tuples(6, 2), SequenceWindows.Sessions(4))) {
      val feeds = walk(3, 200)
      val of = SequenceSpec[K, Vector[StreamTuple], Places](w, by, Sequence)
      assert(opened(of, 3)(threaded(_, feeds)) == definedBy(w, feeds, by))
    }

  /** The aggregate ends as it must, whichever of the parts throws: at all of these calls in a campaign, at one of them,
    * another for each part, in a run of the tests.
    */
  private def checkEnds(parts: String*)(windows: SequenceWindows)(
      function: Fault => AggregateFunction[StreamTuple, Vector[StreamTuple], Places]
  ): Unit = {
    val feeds = walk(2, 300)
    val expected = defined(windows, feeds)
    val first = if (windows == tuples) 1 else 0
    for ((part, i) <- parts.zipWithIndex; call <- Sample.turn(Seq(1, 20, 75), first + i))
      withClue(s"$part, call $call, $windows: ") {
        AggregateFaults.checkEnds(feeds, expected) {
          val fault = new Fault(part, call)
          openedFor(SequenceSpec(windows, fault.key(_), fault.where(function(fault))), 2)
        }
      }
  }

  private def closable() = operator(openedFor(spec(SequenceWindows.Tuples(3, 2)), 2))

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
    for (w <- Seq(SequenceWindows.Tuples(3, 2), SequenceWindows.Sessions(5))) {
      val aggregate = openedFor(spec(w), 2)
      try checkFrontier(aggregate)
      finally aggregate.close()
    }
  }

  private val sessions = SequenceWindows.Sessions(3)
  private val tuples = SequenceWindows.Tuples(4, 1)

  test("a function that throws ends the aggregate with its exception, and no thread stays") {
    checkEnds("create", "add", "predicate", "result")(sessions)(new Faulty(_))
    checkEnds("create", "add", "predicate", "result", "merge")(tuples)(new Faulty(_))
    checkEnds("merge", "subtract")(tuples)(new FaultyInverse(_))
  }

  test("a key that throws ends the aggregate in the same way") {
    checkEnds("key")(sessions)(new Faulty(_))
    checkEnds("key")(tuples)(new Faulty(_))
  }
}

object SequenceContract {
  import AggregateCases._
  import AggregateFaults.Places
  import AggregateRuns.{KeyedRows, Rows}

  val windows: Gen[SequenceWindows] = Gen.oneOf(
    Gen.zip(Gen.choose(1L, 9L), Gen.choose(1L, 9L)).map { case (s, a) =>
      SequenceWindows.Tuples(s, a)
    },
    Gen.choose(1L, 9L).map(SequenceWindows.Sessions(_)),
    Gen.const(SequenceWindows.Sessions(Long.MaxValue))
  )

  /** Key by key over the whole input, then in the order of the windows' last tuples. */
  def defined(windows: SequenceWindows, feeds: Vector[Vector[StreamTuple]]): Rows[Places] =
    definedBy(windows, feeds, key)

  def definedBy[K](
      windows: SequenceWindows,
      feeds: Vector[Vector[StreamTuple]],
      key: StreamTuple => K
  ): KeyedRows[K, Places] = {
    val order = Ordering.comparatorToOrdering[StreamTuple](EventOrder.Tuples.compare(_, _))
    feeds.flatten.sorted(order).groupBy(key).values.toVector
      .flatMap(cut(windows, _)).sortBy(_.last)(order)
      .map(w => w.head.ts -> Vector(key(w.head) -> w.map(place)))
  }

  private def cut(
      windows: SequenceWindows,
      ts: Vector[StreamTuple]
  ): Vector[Vector[StreamTuple]] = windows match {
    case SequenceWindows.Tuples(size, advance) =>
      (1 to ts.size).filter(_ % advance == 0).map(n => ts.take(n).takeRight(size.toInt)).toVector
    case SequenceWindows.Sessions(gap) =>
      ts.foldLeft(Vector.empty[Vector[StreamTuple]]) { (sessions, t) =>
        sessions.lastOption match {
          case Some(s) if BigInt(t.ts) - s.last.ts < gap => sessions.init :+ (s :+ t)
          case _ => sessions :+ Vector(t)
        }
      }
  }
}

class SequencesInMQSuite extends SequenceContract(MQ, cases = 60)

class SequencesInMQLFSuite extends SequenceContract(MQLF, cases = 60)

class SequencesInTuMLSCSuite extends SequenceContract(TuMLSC)

class SequencesInTuMLMCOfOneSuite extends SequenceContract(new TuMLMC(1), cases = 60)

class SequencesInTuMLMCSuite extends SequenceContract(new TuMLMC(3))

class SequencesWithIdleTimeoutSuite
    extends SequenceContract(IdleTimeouts.never(TuMLSC), cases = 60)

class SequenceRefusalsSuite extends AnyFunSuite {
  private val spec = SequenceSpec[String, Counted, Long](
    SequenceWindows.Sessions(5),
    AggregateCases.key,
    Functions.count
  )

  test("WiML and panes refuse windows that depend on the order of tuples, with what to use") {
    for (
      (design, reason) <- Seq(
        WiML -> "of all inputs before it",
        new PaneAggregate(TuMLSC) -> "pieces of time"
      )
    ) {
      val e = intercept[IllegalArgumentException](design.openSequences(spec, 2))
      assert(e.getMessage.contains(reason) && e.getMessage.contains("TuMLSC or TuMLMC"))
    }
  }

  test("windows of nothing are refused") {
    intercept[IllegalArgumentException](SequenceWindows.Sessions(0))
    intercept[IllegalArgumentException](SequenceWindows.Tuples(0, 1))
    intercept[IllegalArgumentException](SequenceWindows.Tuples(1, -1))
  }
}

package io.scalegate.gate

import org.scalacheck.{Gen, Shrink}
import org.scalactic.anyvals.PosInt
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.matchers.should.Matchers
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import io.scalegate.Sample
import io.scalegate.stream.{EventOrder, StreamTuple}
import io.scalegate.tags.Concurrency

/** What every gate promises to many threads: every reader reads the one sorted sequence,
  * complete. Scenarios are random: a sample of them in a run of the tests, more in a campaign.
  */
@Concurrency
abstract class GateConcurrencyContract
    extends AnyFunSuite
    with Matchers
    with ScalaCheckPropertyChecks
    with GateFixture {
  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = PosInt.ensuringValid(if (Sample.isSoak) 50 else 6))

  private val ordering: Ordering[StreamTuple] = EventOrder.Tuples.compare(_, _)

  /** One case: the sources' streams, who feeds them, and how many read. */
  private case class Scenario(
      streams: Vector[Vector[StreamTuple]],
      feeders: Int,
      readers: Int,
      capacity: Int
  ) {
    val expected: Vector[(Long, Int, Long)] = streams.flatten.sorted(ordering).map(triple)
    override def toString: String =
      s"${streams.map(_.map(_.ts))} feeders=$feeders readers=$readers capacity=$capacity"
  }

  private val scenarios: Gen[Scenario] = for {
    sources <- Gen.choose(1, 8)
    maxGap <- Gen.oneOf(0, 1, 3, 1000)
    streams <- Gen.sequence[Vector[Vector[StreamTuple]], Vector[StreamTuple]](
      (0 until sources).map(stream(_, maxGap))
    )
    feeders <- Gen.choose(1, sources)
    readers <- Gen.choose(1, 4)
    capacity <- Gen.oneOf(1, 2, 5, 64, 1000)
  } yield Scenario(streams, feeders, readers, capacity)

  implicit private val noShrink: Shrink[Scenario] = Shrink.shrinkAny

  private def stream(source: Int, maxGap: Int): Gen[Vector[StreamTuple]] =
    for {
      length <- Gen.frequency(1 -> Gen.const(0), 1 -> Gen.const(1), 6 -> Gen.choose(2, 400))
      gaps <- Gen.containerOfN[Vector, Int](length, Gen.choose(0, maxGap))
    } yield gaps.scanLeft(0L)(_ + _).tail.zipWithIndex.map { case (ts, seq) =>
      tuple(ts, source, seq.toLong)
    }

  /** One thread's sources in merged order. Before it waits for room in one it promises for the
    * others what it knows: that they deliver nothing before the tuple that waits.
    */
  private def feed(sources: Map[Int, SourceRole], tuples: Seq[StreamTuple]): Unit = {
    val patience = new Threads.Patience
    tuples.sorted(ordering).foreach { t =>
      if (!sources(t.source).tryAdd(t)) {
        sources.foreach { case (id, other) => if (id != t.source) other.advance(t) }
        patience.until(sources(t.source).tryAdd(t))
      }
    }
    sources.values.foreach(_.close())
  }

  private def readAll(reader: ReaderRole): Vector[StreamTuple] = {
    val patience = new Threads.Patience
    val all = Vector.newBuilder[StreamTuple]
    patience.until {
      all ++= drain(reader)
      reader.isDone
    }
    all.result()
  }

  test("every reader reads the same complete sorted sequence, whatever the interleaving") {
    forAll(scenarios) { s =>
      val gate = newGate(s.capacity)
      val sources = s.streams.map(_ => gate.addSource())
      val readers = Vector.fill(s.readers)(gate.addReader())
      val feeders = (0 until s.feeders).map { f => () =>
        val mine = s.streams.indices.filter(_ % s.feeders == f)
        feed(mine.map(i => i -> sources(i)).toMap, mine.flatMap(s.streams(_)))
        Vector.empty[StreamTuple]
      }
      val results = Threads.run(feeders ++ readers.map(r => () => readAll(r)))
      results.takeRight(s.readers).foreach(_.map(triple) shouldBe s.expected)
    }
  }

  test("nothing is lost behind a source's last tuple, where a reader may already stand") {
    for (round <- 0 until Sample.rounds(1600)) {
      val gate = newGate(capacity = 10)
      val (a, b, reader) = (gate.addSource(), gate.addSource(), gate.addReader())
      val last = 1L + round % 4
      val results = Threads.run[Vector[StreamTuple]](
        Seq(
          () => {
            a.tryAdd(tuple(last, 0)) shouldBe true // source 0's only tuple
            if (round % 2 == 0) a.advance(upTo(100, 0)) else a.close()
            Vector.empty
          },
          () => {
            (0L to 5L).foreach(ts => b.tryAdd(tuple(ts, 1)) shouldBe true)
            Vector.empty
          },
          () => {
            val all = Vector.newBuilder[StreamTuple]
            new Threads.Patience().until {
              all ++= drain(reader)
              all.knownSize == 7
            }
            all.result()
          }
        )
      )
      results.last.map(t => (t.ts, t.source)) shouldBe
        ((0L to 5L).map((_, 1)) :+ ((last, 0))).sorted
    }
  }

  test("sources and readers come and go while others run, and all see one sequence") {
    for (round <- 0 until Sample.rounds(16)) {
      val gate = newGate(capacity = 8)
      val steady = gate.addSource()
      val readers = Vector.fill(2)(gate.addReader())
      val visits = 30
      val results = Threads.run[Vector[StreamTuple]](
        Seq(
          () => { feed(Map(0 -> steady), (1L to 3000L).map(tuple(_, 0))); Vector.empty },
          () => guests(gate, visits, id => 1 + id),
          () => guests(gate, visits, id => 1000 + id),
          () => { visitors(gate, rounds = 30); Vector.empty },
          () => readAll(readers(0)),
          () => readAll(readers(1))
        )
      )
      val delivered = (1L to 3000L).map(tuple(_, 0)) ++ results(1) ++ results(2)
      val expected = delivered.sorted(ordering).map(triple)
      withClue(s"round $round: ") {
        results(4).map(triple) shouldBe expected
        results(5).map(triple) shouldBe expected
      }
    }
  }

  test("readers read to the end and close while others come, read and go, and nothing hangs") {
    for (round <- 0 until Sample.rounds(160)) {
      val gate = newGate(capacity = 4 + round % 3)
      val sources = Vector.fill(2)(gate.addSource())
      val readers = Vector.fill(2)(gate.addReader())
      val streams = (0 to 1).map(s => (1L to 20L).map(ts => tuple(ts * (s + 1), s)))
      val results = Threads.run[Vector[StreamTuple]](
        (0 to 1).map(s => () => { feed(Map(s -> sources(s)), streams(s)); Vector.empty }) ++
          readers.map(r => () => { val all = readAll(r); r.close(); all }) :+
          (() => { visitors(gate, rounds = 10); Vector.empty })
      )
      val expected = streams.flatten.sorted(ordering).map(triple)
      results.slice(2, 4).foreach(_.map(triple) shouldBe expected)
      gate.addReader().isDone shouldBe true
    }
  }

  /** Sources that come, deliver three tuples somewhere ahead, and go. What was delivered. */
  private def guests(gate: GateRole, visits: Int, id: Int => Int): Vector[StreamTuple] =
    (0 until visits).toVector.flatMap { visit =>
      try {
        val guest = gate.addSource()
        val accepted = (1 to 3000 by 7).iterator
          .map(ts => tuple(ts.toLong, id(visit)))
          .filter(t => deliverIfLate(guest, t))
          .take(3)
          .toVector
        guest.close()
        accepted
      } catch {
        case _: IllegalStateException => Vector.empty // every source has closed
      }
    }

  private def deliverIfLate(source: SourceRole, t: StreamTuple): Boolean =
    try source.tryAdd(t)
    catch { case _: OutOfOrderException => false }

  /** Readers that come, read a little in rising order, and go. */
  private def visitors(gate: GateRole, rounds: Int): Unit =
    (0 until rounds).foreach { _ =>
      val visitor = gate.addReader()
      val some = Vector.fill(50)(visitor.next()).filter(_ != null)
      some.map(triple) shouldBe some.sorted(ordering).map(triple)
      visitor.close()
    }
}

package io.scalegate.multiway

import java.util.SplittableRandom
import java.util.concurrent.atomic.AtomicLong
import java.util.concurrent.{ConcurrentLinkedQueue, CountDownLatch}

import scala.jdk.CollectionConverters._

import org.scalatest.funsuite.AnyFunSuite

import io.scalegate.TestThread
import io.scalegate.gate.OutOfOrderException
import io.scalegate.multiway.design.{MQ, MQLF, TuMLMC, TuMLSC, WiML}
import io.scalegate.stream.{IdleStrategy, SlidingWindows, StreamTuple}

class IdleTimeoutOfTuMLSCSuite
    extends AggregateContract(IdleTimeouts.never(TuMLSC), cases = 60)

class IdleTimeoutOfWiMLSuite
    extends AggregateContract(
      IdleTimeouts.never(WiML),
      ordered = false,
      merges = true,
      subtracts = true,
      cases = 60
    )

object IdleTimeouts {
  def never(design: AggregateDesign): AggregateDesign =
    new IdleTimeout(design, Idleness(Long.MaxValue))

  /** A clock that tests set. */
  final class Clock extends AtomicLong {
    def idleness(onLate: StreamTuple => Unit = _ => ()): Idleness =
      Idleness(10, onLate, () => get)
  }
}

/** What a timeout does, on a clock that stands still unless a test moves it. */
class IdleTimeoutSuite extends AnyFunSuite {
  import AggregateCases._
  import AggregateRuns._
  import IdleTimeouts.Clock

  private val designs =
    Seq(MQ, MQLF, TuMLSC, new TuMLMC(2), WiML, new PaneAggregate(WiML))

  private val four = SlidingWindows.tumbling(4)

  private def spec(windows: SlidingWindows) =
    AggregateSpec[String, Vector[StreamTuple], Vector[(Long, Int, Long)]](
      windows,
      key,
      Contents,
      Some(keyOrder)
    )

  private type Idle = IdleAwareAggregate[String, Vector[(Long, Int, Long)]]

  private def opened(design: AggregateDesign, inputs: Int, idleness: Idleness)(
      body: Idle => Unit
  ): Unit = {
    val aggregate = new IdleTimeout(design, idleness).open(spec(four), inputs)
    try body(aggregate)
    finally aggregate.close()
  }

  /** Time for a design's own threads to do what they might do wrongly. */
  private def finds(aggregate: Idle): Boolean = {
    val patience = new IdleStrategy.Backoff()
    (1 to 150).exists { _ =>
      patience.idle()
      aggregate.poll() != null
    }
  }

  for (design <- designs) {
    test(s"${design.name}: a silent input holds results back until the timeout, not longer") {
      val clock = new Clock
      opened(design, 2, clock.idleness()) { aggregate =>
        assert(aggregate.sources(0).tryAdd(tuple(1, 0, 0)))
        assert(aggregate.sources(0).tryAdd(tuple(9, 0, 1)))
        assert(!finds(aggregate))
        clock.set(9)
        aggregate.sources(0).advance(10)
        assert(!finds(aggregate) && !aggregate.isIdle(1))
        clock.set(10)
        assert(await(aggregate).start == 0)
        assert(aggregate.isIdle(1) && !aggregate.isIdle(0))
      }
    }

    test(s"${design.name}: what comes too late from an idle input is handed over and counted") {
      val clock = new Clock
      val late = new ConcurrentLinkedQueue[StreamTuple]
      opened(design, 2, clock.idleness(late.add(_))) { aggregate =>
        assert(aggregate.sources(0).tryAdd(tuple(9, 0, 0)))
        clock.set(10)
        aggregate.poll()
        aggregate.sources(0).advance(10)
        assert(!finds(aggregate))
        val source = aggregate.sources(1)
        assert(source.tryAdd(tuple(3, 1, 0)) && source.tryAdd(tuple(8, 1, 1)))
        assert(late.asScala.map(place).toSeq == Seq((3L, 1, 0L), (8L, 1, 1L)))
        intercept[OutOfOrderException](source.tryAdd(tuple(7, 1, 2)))
        assert(aggregate.lateTuples == 2)
        assert(source.tryAdd(tuple(10, 1, 3)) && !finds(aggregate))
        assert(!aggregate.isIdle(1))
        aggregate.sources.foreach(_.close())
        val consumer = new Consumer(aggregate)
        assert(consumer.drain().flatMap(_._2.map(_._2)) ==
          Vector(Vector((9L, 0, 0L), (10L, 1, 3L))))
      }
    }

    test(s"${design.name}: when all are idle everything up to the highest promise comes") {
      val clock = new Clock
      opened(design, 3, clock.idleness()) { aggregate =>
        assert(aggregate.sources(0).tryAdd(tuple(1, 0, 0)))
        assert(aggregate.sources(1).tryAdd(tuple(5, 1, 0)))
        aggregate.sources(2).advance(8)
        assert(!finds(aggregate))
        clock.set(20)
        assert(await(aggregate).start == 0)
        assert(await(aggregate).start == 4)
        assert(!aggregate.isDone)
      }
    }
  }

  test("a heartbeat, and a tuple that finds no room, say that an input is there") {
    val clock = new Clock
    val full = AggregateOptions(inputCapacity = 1)
    val aggregate = new IdleTimeout(MQ, clock.idleness()).open(spec(four), 3, full)
    try {
      assert(aggregate.sources(0).tryAdd(tuple(5, 0, 0)))
      aggregate.sources(2).advance(20)
      for (now <- 1 to 40) {
        assert(!aggregate.sources(0).tryAdd(tuple(6, 0, 1)))
        aggregate.sources(1).advance(now.toLong % 3)
        aggregate.sources(2).advance(20)
        clock.set(now.toLong)
        assert(aggregate.poll() == null && !(0 to 2).exists(aggregate.isIdle))
      }
    } finally aggregate.close()
  }

  test("a callback that throws ends the aggregate with its exception") {
    val clock = new Clock
    val boom = new RuntimeException("boom")
    opened(TuMLSC, 2, clock.idleness(_ => throw boom)) { aggregate =>
      aggregate.sources(0).advance(100)
      clock.set(10)
      aggregate.sources(0).advance(101)
      assert(aggregate.poll() == null)
      assert(intercept[RuntimeException](aggregate.sources(1).tryAdd(tuple(1, 1, 0))) eq boom)
      assert(intercept[RuntimeException](aggregate.poll()) eq boom)
      assert(intercept[RuntimeException](aggregate.sources(1).tryAdd(tuple(2, 1, 1))) eq boom)
    }
  }

  for (design <- designs)
    test(s"${design.name}: a callback that takes its time holds no results back") {
      val clock = new Clock
      val called = new CountDownLatch(1)
      val released = new CountDownLatch(1)
      val slow = clock.idleness { _ =>
        called.countDown()
        released.await()
      }
      opened(design, 2, slow) { aggregate =>
        aggregate.sources(0).advance(100)
        clock.set(10)
        aggregate.sources(0).advance(101)
        assert(!finds(aggregate))
        val late = new TestThread(assert(aggregate.sources(1).tryAdd(tuple(1, 1, 0))))
        called.await()
        for (i <- 1 to 3) {
          assert(aggregate.sources(0).tryAdd(tuple(200L * i, 0, i.toLong)))
          aggregate.poll()
          clock.set(10 + 20L * i)
          aggregate.sources(0).advance(200L * i + 10)
          assert(await(aggregate).start == 200L * i)
        }
        released.countDown()
        assert(late.end() == null && aggregate.lateTuples == 1)
      }
    }

  test("a timeout of nothing is refused") {
    val e = intercept[IllegalArgumentException](Idleness(0))
    assert(e.getMessage.contains("positive, not 0"))
  }

  /** Feeds with a clock that jumps, and checks the results against those of what was not late. */
  private def checkExact(design: AggregateDesign, seed: Long): Unit = {
    val random = new SplittableRandom(seed)
    val clock = new Clock
    val late = new ConcurrentLinkedQueue[StreamTuple]
    val feeds = Vector.tabulate(3) { i =>
      var ts = 0L
      Vector.tabulate(400) { seq =>
        ts += random.nextInt(4).toLong
        tuple(ts, i, seq.toLong, s"k${random.nextInt(3)}")
      }
    }
    val windows = SlidingWindows(12, 4)
    val aggregate = new IdleTimeout(design, clock.idleness(late.add(_))).open(spec(windows), 3)
    val feeders = feeds.zipWithIndex.map { case (feed, i) =>
      val thread = new Thread(() => {
        val source = aggregate.sources(i)
        feed.foreach { t =>
          source.add(t, new IdleStrategy.Backoff())
          if (t.seq % 16 == i) clock.addAndGet(4)
        }
        source.close()
      })
      thread.start()
      thread
    }
    try {
      val results = new Consumer(aggregate).drain()
      feeders.foreach(_.join())
      val lost = late.asScala.toSet
      assert(lost.size == aggregate.lateTuples)
      val accepted = AggregateCase(windows, feeds.map(_.filterNot(lost.contains)))
      assert(results == AggregateDefinition.results(accepted)(_.map(place).sorted))
    } finally aggregate.close()
  }

  for (design <- designs) test(s"${design.name}: results are those of the tuples not late") {
    for (seed <- 1 to 12) checkExact(design, seed.toLong)
  }
}

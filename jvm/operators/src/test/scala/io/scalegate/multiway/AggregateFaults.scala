package io.scalegate.multiway

import java.util.SplittableRandom
import java.util.concurrent.atomic.AtomicInteger

import org.scalatest.Assertions._

import io.scalegate.BoundedWait.until
import io.scalegate.gate.Threads
import io.scalegate.multiway.function.{AggregateFunction, Functions, Invertible}
import io.scalegate.stream.StreamTuple

/** A user's code that throws, and how a running aggregate must end by it. */
object AggregateFaults {
  import AggregateCases._
  import AggregateRuns._

  type Places = Vector[(Long, Int, Long)]

  final class Boom extends RuntimeException("boom")

  /** Throws once, when the part of the user's code is called for that time. Any thread. */
  final class Fault(part: String, call: Int) {
    private val calls = new AtomicInteger

    def in(called: String): Unit =
      if (called == part && calls.incrementAndGet() == call) throw new Boom

    /** The function over all tuples, by a predicate that may throw. */
    def where(
        function: AggregateFunction[StreamTuple, Vector[StreamTuple], Places]
    ): AggregateFunction[StreamTuple, Vector[StreamTuple], Places] =
      Functions.where[StreamTuple, Vector[StreamTuple], Places] { _ =>
        in("predicate")
        true
      }(function)

    def key(t: StreamTuple): String = {
      in("key")
      AggregateCases.key(t)
    }

    val keyOrder: Ordering[String] = (a, b) => {
      in("key order")
      AggregateCases.keyOrder.compare(a, b)
    }
  }

  /** All tuples. It says that it rounds, so that each thread has states of its own to merge. */
  class Faulty(fault: Fault) extends Collected("faulty") {
    override def isRounding: Boolean = true

    override def create(): Vector[StreamTuple] = {
      fault.in("create")
      super.create()
    }

    override def add(state: Vector[StreamTuple], t: StreamTuple): Vector[StreamTuple] = {
      fault.in("add")
      super.add(state, t)
    }

    override def merge(a: Vector[StreamTuple], b: Vector[StreamTuple]): Vector[StreamTuple] = {
      fault.in("merge")
      super.merge(a, b)
    }

    def result(state: Vector[StreamTuple]): Places = {
      fault.in("result")
      state.map(place).sorted
    }
  }

  final class FaultyInverse(fault: Fault) extends Faulty(fault)
      with Invertible[Vector[StreamTuple]] {
    override def isRounding: Boolean = false

    def subtract(state: Vector[StreamTuple], b: Vector[StreamTuple]): Vector[StreamTuple] = {
      fault.in("subtract")
      state.diff(b)
    }
  }

  /** Opens an aggregate that one thread feeds, and one with a thread for each input: what comes
    * before the exception is as defined, then every call throws that same one, and no thread
    * stays.
    */
  def checkEnds[A](feeds: Vector[Vector[StreamTuple]], defined: Rows[A])(
      open: => RunningAggregate[String, A]
  ): Unit =
    for (fail <- Seq(inTurns[A](_, _, _), together[A](_, _, _))) {
      val aggregate = open
      try checkEnded(aggregate, fail(aggregate, feeds, defined))
      finally aggregate.close()
      assert(workersAlive.isEmpty)
    }

  private def checkEnded(aggregate: RunningAggregate[String, _], e: Boom): Unit = {
    def checkPoll() = {
      assert(intercept[Boom](aggregate.poll()) eq e)
      assert(!aggregate.isDone)
    }
    checkPoll()
    aggregate.sources.foreach { s =>
      assert(intercept[Boom](s.tryAdd(tuple(100000, s.id, 0))) eq e)
      assert(intercept[Boom](s.advance(100000)) eq e)
      s.close()
    }
    checkPoll()
  }

  private def inTurns[A](
      aggregate: RunningAggregate[String, A],
      feeds: Vector[Vector[StreamTuple]],
      defined: Rows[A]
  ): Boom = {
    val random = new SplittableRandom(1)
    val rest = feeds.map(_.iterator.buffered)
    val consumer = new PrefixConsumer(aggregate, defined)
    intercept[Boom](until("failure") {
      for (i <- feeds.indices) if (aggregate.sources(i).tryAdd(rest(i).head)) rest(i).next()
      while (random.nextInt(3) > 0) consumer.take()
      false
    })
  }

  private def together[A](
      aggregate: RunningAggregate[String, A],
      feeds: Vector[Vector[StreamTuple]],
      defined: Rows[A]
  ): Boom = {
    val feeders = feeds.indices.map { i => () =>
      val patience = new Threads.Patience
      intercept[Boom](feeds(i).foreach(aggregate.sources(i).add(_, patience)))
    }
    val consumer = () => {
      val prefix = new PrefixConsumer(aggregate, defined)
      val patience = new Threads.Patience
      intercept[Boom](patience.until { prefix.take(); false })
    }
    val thrown = Threads.run(feeders :+ consumer).distinct
    assert(thrown.size == 1)
    thrown.head
  }

  /** Takes results that must be the first ones of those defined. */
  final private class PrefixConsumer[A](
      aggregate: RunningAggregate[String, A],
      defined: Rows[A]
  ) {
    private val rest = defined.iterator

    def take(): Unit = {
      val results = aggregate.poll()
      if (results != null) assert(results.start -> results.toVector == rest.next())
    }
  }
}

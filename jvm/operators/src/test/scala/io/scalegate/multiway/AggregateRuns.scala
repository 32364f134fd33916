package io.scalegate.multiway

import java.util.SplittableRandom

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import org.scalatest.Assertions._

import io.scalegate.BoundedWait.until
import io.scalegate.stream.{IdleStrategy, StreamTuple}
import io.scalegate.{BoundedWait, OperatorUnderTest}

/** Ways to drive a running aggregate to its end. Each gives up with an error after a minute. */
object AggregateRuns {
  type Rows[A] = KeyedRows[String, A]
  type KeyedRows[K, A] = Vector[(Long, Vector[(K, A)])]

  /** The consumer, which also checks that no window comes that its frontier had passed. */
  final class Consumer[K, A](aggregate: RunningAggregate[K, A]) {
    private val rows = Vector.newBuilder[(Long, Vector[(K, A)])]
    private var frontier = Long.MinValue

    def take(): Boolean = {
      val before = aggregate.frontier
      assert(before >= frontier, s"the frontier fell from $frontier to $before")
      frontier = before
      val results = aggregate.poll()
      if (results != null) {
        assert(results.end >= frontier, s"$results came after the frontier was at $frontier")
        rows += results.start -> results.toVector
      }
      results != null
    }

    def drain(): KeyedRows[K, A] = {
      until("end of the results") {
        while (take()) ()
        aggregate.isDone
      }
      assert(aggregate.frontier == Long.MaxValue)
      assert(aggregate.poll() == null)
      rows.result()
    }
  }

  /** The next results, which must come without any source closing. */
  def await[A](aggregate: RunningAggregate[String, A]): WindowResults[String, A] = {
    var results: WindowResults[String, A] = null
    until("result") {
      results = aggregate.poll()
      results != null
    }
    results
  }

  /** One thread is every source and the consumer, and serves them in random turns. */
  def interleaved[A](
      aggregate: RunningAggregate[String, A],
      feeds: Vector[Vector[StreamTuple]],
      seed: Long
  ): Rows[A] = {
    val random = new SplittableRandom(seed)
    val consumer = new Consumer(aggregate)
    val open = mutable.ArrayBuffer.from(feeds.indices)
    val position = new Array[Int](feeds.length)
    val wait = new BoundedWait("end of the input")
    while (open.nonEmpty) {
      val i = open(random.nextInt(open.length))
      if (position(i) == feeds(i).length) {
        aggregate.sources(i).close()
        open -= i
      } else if (random.nextInt(8) == 0) aggregate.sources(i).advance(feeds(i)(position(i)).ts)
      else if (aggregate.sources(i).tryAdd(feeds(i)(position(i)))) {
        position(i) += 1
        wait.progress()
      } else if (!consumer.take()) wait.idle()
      if (random.nextInt(3) == 0) consumer.take()
    }
    consumer.drain()
  }

  /** A thread for each source, and this one takes the results. */
  def threaded[K, A](
      aggregate: RunningAggregate[K, A],
      feeds: Vector[Vector[StreamTuple]]
  ): KeyedRows[K, A] = {
    val feeders = feeds.zipWithIndex.map { case (feed, i) =>
      val source = aggregate.sources(i)
      val thread = new Thread(() => {
        feed.foreach(source.add(_, new IdleStrategy.Backoff()))
        source.close()
      })
      thread.start()
      thread
    }
    val results = new Consumer(aggregate).drain()
    feeders.foreach(_.join())
    results
  }

  def opened[K, S <: AnyRef, R, A](
      design: AggregateDesign,
      spec: AggregateSpec[K, S, R],
      inputs: Int,
      options: AggregateOptions = AggregateOptions()
  )(body: RunningAggregate[K, R] => A): A = {
    val aggregate = design.open(spec, inputs, options)
    try body(aggregate)
    finally aggregate.close()
  }

  def operator(aggregate: RunningAggregate[String, _]): OperatorUnderTest = new OperatorUnderTest(
    "aggregate",
    aggregate.sources,
    () => aggregate.poll(),
    () => aggregate.frontier,
    () => aggregate.isDone,
    () => aggregate.close(),
    (i, n) => AggregateCases.tuple(n, i, n)
  )

  /** The frontier of an aggregate without tuples is what its inputs promise. */
  def checkFrontier(aggregate: RunningAggregate[String, _]): Unit =
    for (time <- Seq(7L, 1000000L)) {
      aggregate.sources.foreach(_.advance(time))
      until(s"frontier of $time") {
        assert(aggregate.poll() == null)
        aggregate.frontier == time
      }
    }

  def workersAlive: Seq[String] =
    Thread.getAllStackTraces.keySet.asScala.map(_.getName)
      .filter(_.startsWith("scalegate-aggregate")).toSeq
}

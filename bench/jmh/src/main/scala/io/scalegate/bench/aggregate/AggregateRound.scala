package io.scalegate.bench.aggregate

import java.util.concurrent.{Callable, ExecutorService}

import org.HdrHistogram.Histogram

import io.scalegate.multiway.queries.Query
import io.scalegate.multiway.{AggregateDesign, RunningAggregate}
import io.scalegate.stream.{IdleStrategy, StreamTuple}

/** One round: the tuples per second from the first delivery to the last result, and what came
  * out: how many rows, a sum over them that does not depend on their order, and how many
  * nanoseconds each took from the arrival of what made it ready (see [[ReadyTimes]]).
  */
final case class AggregateRate(
    tuplesPerSecond: Double,
    rows: Long,
    sum: Long,
    latency: Histogram
)

/** Sends one query's data through a design. `feeders` threads feed the inputs, each its share of
  * them in merged order, and one more takes the results. With no feeders that one feeds too, some
  * hundred tuples at a time: then the rate tells of the work that a design takes, whatever it
  * gains from several processors.
  *
  * @param perSecond
  *   at what rate tuples arrive: one that waits because its input is full, or its thread is late,
  *   has arrived all the same. 0: as they are taken.
  */
final class AggregateRound[S <: AnyRef, R](
    query: Query[S, R],
    inputs: Int,
    feeders: Int,
    tuples: Int,
    perSecond: Int,
    pool: ExecutorService
) {
  import AggregateRound._

  private[this] val shares = {
    val data = query.data(inputs, tuples)
    Array.tabulate(math.max(feeders, 1)) { f =>
      data.filter(t => feeders == 0 || t.source % feeders == f).sortWith(isBefore)
    }
  }

  def run(design: AggregateDesign): AggregateRate = {
    val aggregate = design.open(query.spec, inputs)
    try {
      val ready = ReadyTimes(query.spec.windows, inputs, shares.view.flatten)
      val results = new Results(aggregate, ready)
      val start = System.nanoTime
      val arrivals = new Arrivals(aggregate, ready, start)
      if (feeders == 0) feedAndTake(arrivals, results)
      else {
        val feeds = shares.indices.map { f =>
          val task: Callable[Unit] = () => feed(arrivals, f)
          pool.submit(task)
        }
        results.takeAll()
        feeds.foreach(_.get)
      }
      val seconds = (System.nanoTime - start) * 1e-9
      AggregateRate(tuples / seconds, results.rows, results.sum, results.latency)
    } finally aggregate.close()
  }

  private[this] def isBefore(a: StreamTuple, b: StreamTuple): Boolean =
    io.scalegate.stream.EventOrder.Tuples.compare(a, b) < 0

  private[this] def feed(arrivals: Arrivals, f: Int): Unit = {
    val idle = new IdleStrategy.Backoff
    val mine = (0 until inputs).filter(_ % feeders == f)
    val share = shares(f)
    var i = 0
    while (i < share.length) {
      val t = share(i)
      while (!arrivals.isDue(t)) idle.idle()
      arrivals.arrive(t)
      if (!arrivals.tryAdd(t)) {
        arrivals.advanceOthers(mine, t)
        while (!arrivals.tryAdd(t)) idle.idle()
      }
      idle.reset()
      i += 1
    }
    arrivals.end(mine)
  }

  private[this] def feedAndTake(arrivals: Arrivals, results: Results): Unit = {
    val share = shares(0)
    var i = 0
    while (i < share.length) {
      val t = share(i)
      while (!arrivals.isDue(t)) results.take()
      arrivals.arrive(t)
      if (!arrivals.tryAdd(t)) {
        arrivals.advanceOthers(0 until inputs, t)
        while (!arrivals.tryAdd(t)) results.take()
      }
      i += 1
      if (i % Batch == 0) while (results.take()) ()
    }
    arrivals.end(0 until inputs)
    results.takeAll()
  }

  /** The aggregate's inputs, whose tuples arrive at times that are known. */
  final private[this] class Arrivals(
      aggregate: RunningAggregate[java.lang.Long, R],
      ready: ReadyTimes,
      start: Long
  ) {
    private[this] val sources = aggregate.sources.toArray

    def isDue(t: StreamTuple): Boolean = perSecond == 0 || System.nanoTime >= due(t)

    def arrive(t: StreamTuple): Unit =
      if (ready.isNews(t.source, t.ts))
        ready.arrived(t.source, t.ts, if (perSecond == 0) System.nanoTime else due(t))

    def tryAdd(t: StreamTuple): Boolean = sources(t.source).tryAdd(t)

    def advanceOthers(all: Iterable[Int], t: StreamTuple): Unit = all.foreach { i =>
      if (i != t.source) {
        if (ready.isNews(i, t.ts)) ready.arrived(i, t.ts, System.nanoTime)
        sources(i).advance(t.ts)
      }
    }

    def end(all: Iterable[Int]): Unit = all.foreach { i =>
      ready.arrived(i, Long.MaxValue, System.nanoTime)
      sources(i).close()
    }

    /** A tuple's number over all inputs is its `seq`. */
    private[this] def due(t: StreamTuple): Long = start + t.seq * 1000000000L / perSecond
  }

  final private[this] class Results(
      aggregate: RunningAggregate[java.lang.Long, R],
      ready: ReadyTimes
  ) {
    private[this] val idle = new IdleStrategy.Backoff(maxParkNanos = MostParkNanos)
    val latency = new Histogram(3)
    var rows, sum = 0L

    def takeAll(): Unit =
      while (!aggregate.isDone) if (take()) idle.reset() else idle.idle()

    def take(): Boolean = {
      val results = aggregate.poll()
      if (results != null) {
        val nanos = System.nanoTime - ready.of(results.start)
        latency.recordValueWithCount(math.max(nanos, 0), results.size.toLong)
        rows += results.size
        var i = 0
        while (i < results.size) {
          sum += (results.start * 31 + results.key(i)) * 31 + results.value(i).##
          i += 1
        }
      }
      results != null
    }
  }
}

private object AggregateRound {
  val Batch = 256

  /** Longer parks would be a latency of their own. */
  val MostParkNanos = 50000L
}

package io.scalegate.bench.aggregate

import java.util.concurrent.{Callable, ExecutorService}

import io.scalegate.aggregate._
import io.scalegate.stream.{IdleStrategy, StreamTuple}

/** One round: the tuples per second from the first delivery to the last result, and what came
  * out: how many rows, and a sum over them that does not depend on their order.
  */
final case class AggregateRate(tuplesPerSecond: Double, rows: Long, sum: Long)

/** Sends one query's data through a design. `feeders` threads feed the inputs, each its share of
  * them in merged order, and one more takes the results. With no feeders that one feeds too, some
  * hundred tuples at a time: then the rate tells of the work that a design takes, whatever it
  * gains from several processors.
  */
final class AggregateRound[S <: AnyRef, R](
    query: Query[S, R],
    inputs: Int,
    feeders: Int,
    tuples: Int,
    pool: ExecutorService
) {
  private[this] val shares = {
    val data = query.data(inputs, tuples)
    Array.tabulate(math.max(feeders, 1)) { f =>
      data.filter(t => feeders == 0 || t.source % feeders == f).sortWith(isBefore)
    }
  }

  def run(design: AggregateDesign): AggregateRate = {
    val aggregate = design.open(query.spec, inputs)
    try {
      val results = new Results(aggregate)
      val start = System.nanoTime
      if (feeders == 0) feedAndTake(aggregate, results)
      else {
        val feeds = shares.indices.map { f =>
          val task: Callable[Unit] = () => feed(aggregate, f)
          pool.submit(task)
        }
        results.takeAll()
        feeds.foreach(_.get)
      }
      val seconds = (System.nanoTime - start) * 1e-9
      AggregateRate(tuples / seconds, results.rows, results.sum)
    } finally aggregate.close()
  }

  private[this] def isBefore(a: StreamTuple, b: StreamTuple): Boolean =
    io.scalegate.stream.EventOrder.Tuples.compare(a, b) < 0

  private[this] def feed(aggregate: RunningAggregate[java.lang.Long, R], f: Int): Unit = {
    val idle = new IdleStrategy.Backoff
    val mine = aggregate.sources.filter(_.id % feeders == f)
    val share = shares(f)
    var i = 0
    while (i < share.length) {
      val t = share(i)
      val source = aggregate.sources(t.source)
      if (!source.tryAdd(t)) {
        mine.foreach(s => if (s.id != t.source) s.advance(t.ts))
        while (!source.tryAdd(t)) idle.idle()
        idle.reset()
      }
      i += 1
    }
    mine.foreach(_.close())
  }

  private[this] def feedAndTake(
      aggregate: RunningAggregate[java.lang.Long, R],
      results: Results
  ): Unit = {
    val share = shares(0)
    var i = 0
    while (i < share.length) {
      val t = share(i)
      val source = aggregate.sources(t.source)
      if (!source.tryAdd(t)) {
        aggregate.sources.foreach(s => if (s.id != t.source) s.advance(t.ts))
        while (!source.tryAdd(t)) results.take()
      }
      i += 1
      if (i % AggregateRound.Batch == 0) while (results.take()) ()
    }
    aggregate.sources.foreach(_.close())
    results.takeAll()
  }

  final private[this] class Results(aggregate: RunningAggregate[java.lang.Long, R]) {
    private[this] val idle = new IdleStrategy.Backoff
    var rows, sum = 0L

    def takeAll(): Unit =
      while (!aggregate.isDone) if (take()) idle.reset() else idle.idle()

    def take(): Boolean = {
      val results = aggregate.poll()
      if (results != null) {
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
}

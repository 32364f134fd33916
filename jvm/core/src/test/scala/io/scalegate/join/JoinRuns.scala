package io.scalegate.join

import java.util.SplittableRandom

import scala.collection.mutable

import io.scalegate.BoundedWait
import io.scalegate.BoundedWait.until
import io.scalegate.stream.{IdleStrategy, Side, StreamTuple}

/** Ways to drive a running join to its end. Each gives up with an error after a minute. */
object JoinRuns {
  import Definition.Pair

  def tuple(ts: Long, source: Int, seq: Long, side: Side, attrs: Long*): StreamTuple =
    new StreamTuple(ts, source, seq, side, attrs.toArray, s"$side $source $seq")

  /** Takes every result to the end. */
  def drain(join: RunningJoin): Vector[Pair] = {
    val results = Vector.newBuilder[Pair]
    until("end of the results") {
      while (take(join, results)) ()
      join.isDone
    }
    results.result()
  }

  /** The next result, which must come without any source closing. */
  def await(join: RunningJoin): JoinResult = {
    var result: JoinResult = null
    until("result") {
      result = join.poll()
      result != null
    }
    result
  }

  private def take(join: RunningJoin, to: mutable.Builder[Pair, Vector[Pair]]): Boolean = {
    val result = join.poll()
    if (result != null) to += Definition.pair(result)
    result != null
  }

  /** One thread is every source and the consumer, and serves them in random turns. */
  def interleaved(
      join: RunningJoin,
      feeds: Vector[Vector[StreamTuple]],
      seed: Long
  ): Vector[Pair] = {
    val random = new SplittableRandom(seed)
    val results = Vector.newBuilder[Pair]
    val open = mutable.ArrayBuffer.from(feeds.indices)
    val position = new Array[Int](feeds.length)
    val wait = new BoundedWait("end of the input")
    while (open.nonEmpty) {
      val i = open(random.nextInt(open.length))
      if (position(i) == feeds(i).length) {
        join.sources(i).close()
        open -= i
      } else if (random.nextInt(8) == 0) join.sources(i).advance(feeds(i)(position(i)).ts)
      else if (join.sources(i).tryAdd(feeds(i)(position(i)))) {
        position(i) += 1
        wait.progress()
      } else if (!take(join, results)) wait.idle()
      if (random.nextInt(3) == 0) take(join, results)
    }
    results.result() ++ drain(join)
  }

  /** A thread for each source, and this one takes the results. */
  def threaded(join: RunningJoin, feeds: Vector[Vector[StreamTuple]]): Vector[Pair] = {
    val feeders = feeds.zipWithIndex.map { case (feed, i) =>
      val source = join.sources(i)
      val thread = new Thread(() => {
        feed.foreach(source.add(_, new IdleStrategy.Backoff()))
        source.close()
      })
      thread.start()
      thread
    }
    val results = drain(join)
    feeders.foreach(_.join())
    results
  }

  def opened[A](strategy: JoinStrategy, input: JoinCase, options: JoinOptions = JoinOptions())(
      body: RunningJoin => A
  ): A = {
    val join = strategy.open(input.spec, input.sides, options)
    try body(join)
    finally join.close()
  }

  def workersAlive: Seq[String] = {
    import scala.jdk.CollectionConverters._
    val names = Thread.getAllStackTraces.keySet.asScala.map(_.getName)
    names.filter(_.startsWith("scalegate-join")).toSeq
  }
}

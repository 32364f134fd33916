package io.scalegate.matrix.cube

import java.util.SplittableRandom

import scala.collection.mutable
import scala.util.Try

import org.scalacheck.Gen

import io.scalegate.BoundedWait
import io.scalegate.band.{AttributeType, IntegralBand}
import io.scalegate.join.{JoinOptions, JoinRuns}
import io.scalegate.stream.{EventOrder, IdleStrategy, Side, StreamTuple, TimeWindow}

/** A three-way join's input: what each source delivers, in its order. */
final case class CubeCase(spec: CubeSpec, feeds: Vector[(CubeStream, Vector[StreamTuple])]) {
  def streams: Vector[CubeStream] = feeds.map(_._1)

  override def toString: String =
    s"rs ${spec.rs}, st ${spec.st}, rt ${spec.rt}, residual ${spec.residual.isDefined}, from ${spec.from}, " +
      feeds.map { case (stream, ts) => s"$stream: ${ts.map(t => (t.ts, t.attrs.toSeq))}" }
        .mkString("; ")
}

/** The definition of a three-way join's result: every triple of the input is looked at. */
object CubeDefinition {

  /** Source and sequence number of the latest, the middle and the earliest tuple. */
  type Triple = Vector[(Int, Long)]

  private val order =
    Ordering.comparatorToOrdering[StreamTuple]((a, b) => EventOrder.Tuples.compare(a, b))

  def triple(latestFirst: Seq[StreamTuple]): Triple =
    latestFirst.map(t => (t.source, t.seq)).toVector

  def triple(result: CubeResult): Triple = {
    val byTime = Vector(result.latest, result.middle, result.earliest)
    assert(byTime == Vector(result.r, result.s, result.t).sorted(order.reverse))
    triple(byTime)
  }

  def results(input: CubeCase): Vector[Triple] = {
    def of(stream: CubeStream) = input.feeds.filter(_._1 == stream).flatMap(_._2)
    val residual = input.spec.residual.map(_.apply())
    val found = for {
      r <- of(CubeStream.R)
      s <- of(CubeStream.S)
      if holds(input.spec.rs, r, s)
      t <- of(CubeStream.T)
      if holds(input.spec.st, s, t) && holds(input.spec.rt, r, t)
      if Seq(r, s, t).exists(_.ts >= input.spec.from) && residual.forall(_.matches(r, s, t))
    } yield Vector(r, s, t).sorted(order.reverse)
    found.sorted(Ordering.Implicits.seqOrdering[Vector, StreamTuple](order)).map(triple(_))
  }

  private def holds(pair: CubePair, x: StreamTuple, y: StreamTuple): Boolean =
    isWithin(y.ts, x.ts, pair.window.lower, pair.window.upper) && pair.bands.forall { b =>
      b.band match {
        case IntegralBand(_, lower, upper) =>
          isWithin(y.attrs(b.second), x.attrs(b.first), lower, upper)
        case other => throw new IllegalArgumentException(s"no case has $other")
      }
    }

  private def isWithin(y: Long, x: Long, lower: Long, upper: Long): Boolean = {
    val distance = BigInt(y) - x
    lower <= distance && distance <= upper
  }
}

object CubeCases {
  private val times: Gen[Gen[Long]] = Gen.oneOf(
    Gen.const(0L),
    Gen.choose(0L, 12L),
    Gen.choose(-30L, 30L),
    Gen.oneOf(Long.MinValue, Long.MinValue + 1, -1L, 0L, 1L, Long.MaxValue - 1, Long.MaxValue)
  )

  private val windows: Gen[TimeWindow] = Gen.frequency(
    3 -> Gen.zip(Gen.choose(-9L, 2L), Gen.choose(0L, 12L)).map { case (a, n) =>
      TimeWindow(a, a + n)
    },
    2 -> Gen.const(TimeWindow.sliding(7, 2)),
    3 -> Gen.const(TimeWindow(Long.MinValue, Long.MaxValue)),
    1 -> Gen.oneOf(
      TimeWindow(Long.MinValue, -1),
      TimeWindow(Long.MinValue, Long.MinValue + 3),
      TimeWindow(0, Long.MaxValue)
    )
  )

  private def pairs(attribute: AttributeType): Gen[CubePair] = for {
    window <- windows
    count <- Gen.frequency(2 -> Gen.const(0), 2 -> Gen.const(1), 1 -> Gen.const(2))
    bands <- Gen.listOfN(
      count,
      for {
        first <- Gen.choose(0, 1)
        second <- Gen.choose(0, 2)
        lower <- Gen.choose(-6L, 1L)
      } yield CubeBand(first, second, IntegralBand(attribute, lower, lower + 7))
    )
  } yield CubePair(window, bands.toVector)

  private val specs: Gen[CubeSpec] = (for {
    attribute <- Gen.oneOf(AttributeType.Int32, AttributeType.Int64)
    rs <- pairs(attribute)
    st <- pairs(attribute)
    rt <- pairs(attribute)
    odd <- Gen.oneOf(true, false)
    from <- Gen.frequency(3 -> Gen.const(Long.MinValue), 1 -> Gen.choose(-2L, 9L))
  } yield {
    val predicate: TriplePredicate = (r, s, t) => (r.attrs(0) + s.attrs(0) + t.attrs(0)) % 2 != 0
    CubeSpec(rs, st, rt, if (odd) Some(() => predicate) else None, from)
  }).suchThat(spec => Try(spec.narrowed).isSuccess)

  private def feed(source: Int, time: Gen[Long]): Gen[Vector[StreamTuple]] =
    for {
      n <- Gen.frequency(1 -> Gen.const(0), 1 -> Gen.const(1), 8 -> Gen.choose(2, 16))
      ts <- Gen.listOfN(n, time)
      attrs <- Gen.listOfN(n, Gen.listOfN(3, Gen.choose(-4L, 4L)))
    } yield ts.sorted.zip(attrs).zipWithIndex.toVector.map { case ((t, a), i) =>
      JoinRuns.tuple(t, source, i.toLong, Side.R, a: _*)
    }

  /** Every stream has a source in most of them. */
  val cases: Gen[CubeCase] = for {
    spec <- specs
    time <- times
    more <- Gen.choose(0, 2)
    extra <- Gen.listOfN(more, Gen.oneOf(CubeStream.all))
    first <-
      Gen.frequency(9 -> Gen.const(CubeStream.all), 1 -> Gen.oneOf(CubeStream.all).map(Seq(_)))
    streams = (first ++ extra).toVector
    feeds <- Gen.sequence[Vector[Vector[StreamTuple]], Vector[StreamTuple]](
      streams.indices.map(feed(_, time))
    )
  } yield CubeCase(spec, streams.zip(feeds))
}

/** Ways to drive a running three-way join to its end. */
object CubeRuns {
  import CubeDefinition.Triple

  def opened[A](layout: CubeLayout, input: CubeCase, options: JoinOptions = JoinOptions())(
      body: RunningCubeJoin => A
  ): A = {
    val join = new CubeJoin(layout).open(input.spec, input.streams, options)
    try body(join)
    finally join.close()
  }

  def drain(join: RunningCubeJoin): Vector[Triple] = {
    val results = Vector.newBuilder[Triple]
    BoundedWait.until("end of the results") {
      while (take(join, results)) ()
      join.isDone
    }
    results.result()
  }

  private def take(
      join: RunningCubeJoin,
      to: mutable.Builder[Triple, Vector[Triple]]
  ): Boolean = {
    val result = join.poll()
    if (result != null) to += CubeDefinition.triple(result)
    result != null
  }

  /** One thread is every source and the consumer, and serves them in random turns. */
  def interleaved(join: RunningCubeJoin, input: CubeCase, seed: Long): Vector[Triple] = {
    val random = new SplittableRandom(seed)
    val results = Vector.newBuilder[Triple]
    val left = mutable.ArrayBuffer.from(input.feeds.map(_._2.iterator.buffered).zipWithIndex)
    BoundedWait.until("end of the input") {
      val turn = random.nextInt(left.length)
      val feed = left(turn)._1
      val source = join.sources(left(turn)._2)
      if (feed.isEmpty) {
        source.close()
        left.remove(turn)
      } else if (random.nextInt(8) == 0) source.advance(feed.head.ts)
      else if (source.tryAdd(feed.head)) feed.next()
      else take(join, results)
      if (random.nextInt(3) == 0) take(join, results)
      left.isEmpty
    }
    results.result() ++ drain(join)
  }

  /** A thread for each source, and this one takes the results. */
  def threaded(join: RunningCubeJoin, input: CubeCase): Vector[Triple] = {
    val feeders = input.feeds.zipWithIndex.map { case ((_, feed), i) =>
      val thread = new Thread(() => {
        feed.foreach(join.sources(i).add(_, new IdleStrategy.Backoff()))
        join.sources(i).close()
      })
      thread.start()
      thread
    }
    val results = drain(join)
    feeders.foreach(_.join())
    results
  }
}

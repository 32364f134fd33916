package io.scalegate.multiway

import java.util.SplittableRandom

import org.scalacheck.Gen

import io.scalegate.multiway.function.{AggregateFunction, Invertible}
import io.scalegate.stream.{EventOrder, Side, SlidingWindows, StreamTuple}

/** An aggregate's input: what each source delivers, in its order. */
final case class AggregateCase(windows: SlidingWindows, feeds: Vector[Vector[StreamTuple]]) {
  override def toString: String =
    s"$windows; ${feeds.map(_.map(t => (t.ts, t.row))).mkString("; ")}"
}

/** The definition of an aggregate's results, window by window over the whole input. */
object AggregateDefinition {

  /** A window's start, and what is said of each key's tuples, which come in their order. */
  type Results[A] = Vector[(Long, Vector[(String, A)])]

  def results[A](input: AggregateCase)(of: Vector[StreamTuple] => A): Results[A] =
    byKey(input.windows, input.feeds.flatten, AggregateCases.key)(of)(AggregateCases.keyOrder)

  /** With the keys in order. */
  def byKey[K: Ordering, A](
      windows: SlidingWindows,
      tuples: Vector[StreamTuple],
      key: StreamTuple => K
  )(of: Vector[StreamTuple] => A): Vector[(Long, Vector[(K, A)])] = {
    val order = Ordering.comparatorToOrdering[StreamTuple](EventOrder.Tuples.compare(_, _))
    val contributions = for {
      t <- tuples.sorted(order)
      start <- starts(windows, t.ts)
    } yield (start, t)
    contributions.groupMap(_._1)(_._2).toVector.sortBy(_._1).map { case (start, ts) =>
      start -> ts.groupBy(key).toVector.sortBy(_._1).map { case (k, of1) => k -> of(of1) }
    }
  }

  /** The windows that hold a time, in unbounded integers. */
  private def starts(w: SlidingWindows, ts: Long): Vector[Long] = {
    val last = BigInt(ts) - BigInt(ts).mod(w.advance)
    Iterator.iterate(last)(_ - w.advance)
      .takeWhile(s => s + w.size > ts && s >= Long.MinValue).map(_.toLong).toVector
  }
}

/** A key of two attributes. */
final case class Meter(name: String, plug: Long)

object Meter {
  implicit val order: Ordering[Meter] = Ordering.by(m => (m.name, m.plug))
}

object AggregateCases {
  def key(t: StreamTuple): String = t.row.asInstanceOf[String]

  /** Null first. */
  val keyOrder: Ordering[String] = Ordering.by[String, Option[String]](Option(_))

  def tuple(ts: Long, source: Int, seq: Long, key: String = "a", value: Long = 0L): StreamTuple =
    new StreamTuple(ts, source, seq, Side.R, Array(value), key)

  /** Tuples of a few keys and of values below `values`, in a random walk on all inputs, which all
    * jump every ten units.
    */
  def walk(
      inputs: Int,
      n: Int,
      seed: Long,
      values: Long,
      jump: Long = 0L
  ): Vector[Vector[StreamTuple]] = {
    val random = new SplittableRandom(seed)
    Vector.tabulate(inputs) { i =>
      var ts = 0L
      Vector.tabulate(n) { seq =>
        ts += random.nextInt(3).toLong
        val key = s"k${random.nextInt(7)}"
        tuple(ts + ts / 10 * jump, i, seq.toLong, key, random.nextLong(values))
      }
    }
  }

  /** A tuple as its place in the total order. */
  def place(t: StreamTuple): (Long, Int, Long) = (t.ts, t.source, t.seq)

  /** All tuples in the order in which they were added. */
  object Sequence extends Sequence

  sealed abstract class Sequence extends Collected("sequence") {
    override def isOrderSensitive: Boolean = true
    def result(state: Vector[StreamTuple]): Vector[(Long, Int, Long)] = state.map(place)
  }

  /** Those that leave are the first ones. */
  object LeavingSequence extends Sequence with Invertible[Vector[StreamTuple]] {
    def subtract(state: Vector[StreamTuple], b: Vector[StreamTuple]): Vector[StreamTuple] = {
      require(state.startsWith(b), s"$state does not begin with $b")
      state.drop(b.size)
    }
  }

  /** All tuples, in whatever order they were added. */
  object Contents extends Contents

  sealed abstract class Contents extends Collected("contents") {
    def result(state: Vector[StreamTuple]): Vector[(Long, Int, Long)] = state.map(place).sorted
  }

  /** Those that leave are there. */
  object LeavingContents extends Contents with Invertible[Vector[StreamTuple]] {
    def subtract(state: Vector[StreamTuple], b: Vector[StreamTuple]): Vector[StreamTuple] = {
      require(b.diff(state).isEmpty, s"$state has not all of $b")
      state.diff(b)
    }
  }

  abstract class Collected(val name: String)
      extends AggregateFunction[StreamTuple, Vector[StreamTuple], Vector[(Long, Int, Long)]] {
    def create(): Vector[StreamTuple] = Vector.empty
    def add(state: Vector[StreamTuple], t: StreamTuple): Vector[StreamTuple] = state :+ t
    def merge(a: Vector[StreamTuple], b: Vector[StreamTuple]): Vector[StreamTuple] = a ++ b
  }

  private val windows: Gen[SlidingWindows] = Gen.oneOf(
    Gen.zip(Gen.choose(1L, 12L), Gen.choose(1L, 12L)).map { case (s, a) => SlidingWindows(s, a) },
    Gen.choose(1L, 9L).map(SlidingWindows.tumbling),
    Gen.const(SlidingWindows(20, 2)),
    Gen.const(SlidingWindows(1, 40)),
    Gen.const(SlidingWindows(Long.MaxValue, Long.MaxValue))
  )

  private val times: Gen[Gen[Long]] = Gen.oneOf(
    Gen.const(0L),
    Gen.choose(0L, 12L),
    Gen.choose(-60L, 60L),
    Gen.oneOf(-100000L, -3L, 0L, 100000L),
    Gen.choose(0L, 9L).flatMap(n => Gen.oneOf(Long.MinValue + n, Long.MaxValue - n, n))
  )

  private val keys: Gen[Gen[String]] = Gen.oneOf(
    Gen.const(null: String),
    Gen.oneOf("a", "b", null),
    Gen.choose(0, 50).map(n => s"key $n")
  )

  private def feed(source: Int, time: Gen[Long], key: Gen[String]): Gen[Vector[StreamTuple]] =
    for {
      n <- Gen.frequency(1 -> Gen.const(0), 1 -> Gen.const(1), 6 -> Gen.choose(2, 60))
      ts <- Gen.listOfN(n, time)
      ks <- Gen.listOfN(n, key)
      values <- Gen.listOfN(n, Gen.choose(-1000000L, 1000000L))
    } yield ts.sorted.zip(ks).zip(values).zipWithIndex.toVector.map { case (((t, k), v), i) =>
      tuple(t, source, i.toLong, k, v)
    }

  val cases: Gen[AggregateCase] = for {
    w <- windows
    time <- times
    key <- keys
    inputs <- Gen.choose(1, 5)
    feeds <- Gen.sequence[Vector[Vector[StreamTuple]], Vector[StreamTuple]](
      (0 until inputs).map(feed(_, time, key))
    )
  } yield AggregateCase(w, feeds)
}

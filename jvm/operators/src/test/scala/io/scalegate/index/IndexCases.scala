package io.scalegate.index

import scala.collection.mutable

import org.scalacheck.{Gen, Shrink}

import io.scalegate.stream.SortableKey

/** What a window's owner does with an index. */
sealed trait Step

object Step {
  final case class Insert(key: Long) extends Step

  /** Leaves the last `tuples` in the window. */
  final case class Keep(tuples: Int) extends Step
  final case class Search(lo: Long, hi: Long) extends Step

  /** Searches the window's positions from the share `from` to the share `to` only. */
  final case class SearchPart(lo: Long, hi: Long, from: Double, to: Double) extends Step
}

/** A window of `tuples`, whose positions are `gap` apart, and what is done with it. */
final case class IndexCase(tuples: Int, gap: Int, start: Long, steps: Seq[Step]) {
  override def toString: String =
    s"window $tuples, gap $gap, start $start: ${steps.mkString(" ")}"
}

/** The definition: the window as a list. */
final class IndexOracle {
  private val window = mutable.ArrayDeque.empty[(Long, Long)]

  def insert(key: Long, position: Long): Unit = window.append((key, position))

  /** Drops all but the last `tuples`, and returns the bound that does that. */
  def keep(tuples: Int): Long = {
    val last = window.lastOption.fold(Long.MinValue)(_._2 + 1)
    while (window.size > tuples) window.removeHead()
    window.headOption.fold(last)(_._2)
  }

  def search(lo: Long, hi: Long, first: Long, last: Long): Seq[Long] =
    window.iterator
      .filter { case (key, position) =>
        lo <= key && key <= hi && first <= position && position <= last
      }
      .map(_._2)
      .toSeq

  def size: Int = window.size

  /** The position at a share of the window. */
  def positionAt(share: Double): Long =
    if (window.isEmpty) 0L else window(math.min(window.size - 1, (window.size * share).toInt))._2
}

/** Inputs that start at nothing: no tuple, one tuple, one key, the ends of the types. */
object IndexCases {
  private val extremes: Gen[Long] = Gen.oneOf(
    Long.MinValue,
    Long.MinValue + 1,
    -1L,
    0L,
    1L,
    Long.MaxValue - 1,
    Long.MaxValue,
    SortableKey.ofDouble(Double.NaN),
    SortableKey.ofDouble(Double.NegativeInfinity),
    SortableKey.ofDouble(-0.0),
    SortableKey.ofFloat(Float.PositiveInfinity).toLong
  )

  /** Keys by their number in the input. */
  private val keys: Gen[Int => Gen[Long]] = Gen.oneOf[Int => Gen[Long]](
    (_: Int) => Gen.const(7L),
    (i: Int) => Gen.const(i.toLong),
    (i: Int) => Gen.const(-i.toLong),
    (_: Int) => Gen.choose(0L, 5L),
    (_: Int) => Gen.choose(-300L, 300L),
    (_: Int) => Gen.long,
    (_: Int) => extremes,
    (i: Int) => Gen.choose(i / 20 * 10L, i / 20 * 10L + 40L), // drifts
    (i: Int) => Gen.frequency(9 -> Gen.const(i / 64L), 1 -> Gen.choose(-100L, 100L))
  )

  private def steps(i: Int, tuples: Int, key: Int => Gen[Long]): Gen[Seq[Step]] = {
    val bound = Gen.frequency(4 -> key(i), 1 -> extremes)
    val range = Gen.zip(key(i), Gen.choose(-1L, 12L)).map { case (k, width) => (k, k + width) }
    val search = Gen.frequency(
      3 -> range,
      1 -> Gen.zip(bound, bound),
      1 -> Gen.const((Long.MinValue, Long.MaxValue))
    ).map { case (lo, hi) => Step.Search(lo, hi) }
    val part = Gen.zip(Gen.zip(bound, bound), Gen.choose(0.0, 1.0), Gen.choose(0.0, 1.0)).map {
      case ((a, b), from, to) => Step.SearchPart(math.min(a, b), math.max(a, b), from, to)
    }
    Gen.frequency(
      30 -> key(i).map(k => Seq(Step.Insert(k), Step.Keep(tuples))),
      5 -> key(i).map(k => Seq(Step.Insert(k))),
      10 -> search.map(Seq(_)),
      3 -> part.map(Seq(_)),
      1 -> Gen.oneOf(0, 1, tuples / 2, tuples).map(n => Seq(Step.Keep(n)))
    )
  }

  val cases: Gen[IndexCase] = for {
    tuples <- Gen.oneOf(1, 2, 3, 10, 40, 100, 300)
    gap <- Gen.oneOf(1, 1, 3, 1000)
    start <- Gen.oneOf(0L, -500L, Long.MinValue, Long.MaxValue - 2000000)
    key <- keys
    length <- Gen.frequency(1 -> Gen.const(0), 1 -> Gen.const(1), 8 -> Gen.choose(2, 1500))
    actions <-
      Gen.sequence[Seq[Seq[Step]], Seq[Step]]((0 until length).map(steps(_, tuples, key)))
  } yield IndexCase(tuples, gap, start, actions.flatten)

  implicit val shrinkSteps: Shrink[IndexCase] = Shrink.withLazyList { c =>
    val n = c.steps.size
    LazyList.iterate(n / 2)(_ / 2).takeWhile(_ > 0).flatMap { length =>
      LazyList.from(0 until n by length).map(at => c.copy(steps = c.steps.patch(at, Nil, length)))
    }
  }
}

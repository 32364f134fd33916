package io.scalegate.lookup

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

/** A lookup's rows against a filter over all rows. */
final class IntervalIndexSuite extends AnyFunSuite with ScalaCheckPropertyChecks {
  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = 200, sizeRange = 300)

  private case class Interval(key: Long, start: Long, end: Long)

  private def intervals(spread: Long): Gen[Interval] = for {
    key <- Gen.oneOf(Gen.choose(0L, 3L), Gen.oneOf(Long.MinValue, Long.MaxValue))
    start <- Gen.frequency(
      12 -> Gen.choose(-spread, spread),
      1 -> Gen.oneOf(Long.MinValue, Long.MaxValue)
    )
    length <- Gen.frequency(
      6 -> Gen.choose(0L, 5L),
      3 -> Gen.choose(-3L, spread),
      1 -> Gen.const(Long.MaxValue)
    )
  } yield Interval(key, start, endOf(start, length))

  private def endOf(start: Long, length: Long): Long =
    if (length > 0 && start + length < start) Long.MaxValue
    else if (length < 0 && start + length > start) Long.MinValue
    else start + length

  private val cases = for {
    spread <- Gen.oneOf(3L, 60L, 5000L)
    rows <- Gen.containerOf[Vector, Interval](intervals(spread))
    probes <- Gen.containerOfN[Vector, Interval](20, intervals(spread))
  } yield (rows, probes)

  private def indexed(rows: Vector[Interval], keyed: Boolean): IntervalIndex =
    IntervalIndex(
      if (keyed) Some(rows.map(_.key).toArray) else None,
      rows.map(_.start).toArray,
      rows.map(_.end).toArray
    )

  private def found(
      index: RowIndex,
      lookup: RowLookup,
      probe: Interval,
      keyed: Boolean
  ): Seq[Int] = {
    val interval = Array(probe.start, probe.end)
    lookup.start(if (keyed) probe.key +: interval else interval)
    Iterator.continually(lookup.next()).takeWhile(_ >= 0).map(index.order(_)).toSeq
  }

  for (keyed <- Seq(false, true))
    test(
      s"a lookup gives each row that overlaps, once, ${if (keyed) "with" else "without"} a key"
    ) {
      forAll(cases) { case (rows, probes) =>
        val index = indexed(rows, keyed)
        val lookup = index.lookup()
        probes.foreach { p =>
          val expected = rows.indices.filter { i =>
            val r = rows(i)
            r.start <= p.end && r.end >= p.start && (!keyed || r.key == p.key)
          }
          assert(found(index, lookup, p, keyed).sorted == expected)
        }
      }
    }

  test("a point among many short intervals and a few long ones visits few of them") {
    val short = Vector.tabulate(20000)(i => Interval(0, 10L * i, 10L * i + 12))
    val long = Vector.tabulate(5)(i => Interval(0, 100L * i, 190000L))
    val index = indexed(short ++ long, keyed = false)
    val lookup = index.lookup()
    val points = 100000L until 101000L
    val matches = points.map(p => found(index, lookup, Interval(0, p, p), keyed = false).size).sum
    assert(matches > 6 * points.size)
    assert(lookup.comparisons < points.size * 8 * 20, "eight found, each at a depth of 15")
  }

  test("keys and ends that do not fit the starts are refused") {
    intercept[IllegalArgumentException](IntervalIndex(None, Array(1L), Array.empty))
    intercept[IllegalArgumentException](
      IntervalIndex(Some(Array.empty), Array(1L), Array(2L))
    )
  }
}

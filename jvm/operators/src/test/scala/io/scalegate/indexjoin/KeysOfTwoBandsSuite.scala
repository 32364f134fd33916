package io.scalegate.indexjoin

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import io.scalegate.band.{AttributeType, Band, FloatingBand, IntegralBand}
import io.scalegate.index.{BPlusTreeIndex, MergePolicy, PimTree, PositionBuffer, SlidingIndex}
import io.scalegate.stream.SortableKey

/** What an index of two bands finds, for ranges of any width and in any place. */
final class KeysOfTwoBandsSuite extends AnyFunSuite with ScalaCheckPropertyChecks {
  private val integers = IntegralBand(AttributeType.Int64, -8, 8) // a cell is a value or two
  private val numbers = FloatingBand(AttributeType.Float64, -8.0, 8.0)

  /** Near zero, near the cells' highest number and its multiples, and anywhere. */
  private val value: Gen[Long] = for {
    turn <- Gen.oneOf(-1L, 0L, 1L)
    half <- Gen.oneOf(0L, 1L << 31)
    cell <- Gen.frequency(4 -> Gen.choose(-40L, 40L), 1 -> Gen.choose(0L, 1L << 31))
    shift <- Gen.oneOf(0, 1)
  } yield ((turn << 32) + half + cell) << shift

  private val width: Gen[Long] =
    Gen.oneOf(Gen.choose(0L, 50L), Gen.choose(1L << 30, 1L << 34), Gen.const(Long.MaxValue / 4))

  private def sortable(band: Band, value: Long) = band match {
    case _: IntegralBand => value
    case _: FloatingBand => SortableKey.ofDouble(value.toDouble)
  }

  private val range = for { from <- value; by <- width } yield (from, from + by)

  test("the numbers of cells are one range, or one in each half of all numbers") {
    val cells = new CellNumbers(new BandCells(integers, KeysOfTwoBands.Bits))
    forAll(range, minSuccessful(1000)) { case (from, to) =>
      cells.set(from, to)
      assert(cells.size == 1 || cells.size == 2 && cells.hi(0) < (1L << 31) && cells.lo(
        1
      ) >= (1L << 31))
    }
  }

  for {
    (name, x, y) <- Seq[(String, Band, Band)](
      ("integers", integers, integers),
      ("a number and an integer", numbers, integers)
    )
    newIndex <- Seq[() => SlidingIndex](
      () => new BPlusTreeIndex,
      () => new PimTree(MergePolicy(40, 0.5))
    )
  }
    test(s"every row in the ranges is found, and none twice: $name, ${newIndex().name}") {
      val points = Gen.listOfN(80, Gen.zip(value, value))
      forAll(points, Gen.listOfN(5, Gen.zip(range, range))) { (rows, searches) =>
        val keys = new KeysOfTwoBands(x, y)
        val index = newIndex()
        val attributes = rows.map { case (a, b) => Array(sortable(x, a), sortable(y, b)) }
        for ((attrs, i) <- attributes.zipWithIndex)
          index.insert(keys.key(attrs), keys.value(attrs), i.toLong)
        for (((fromX, toX), (fromY, toY)) <- searches) {
          val ranges = Array(
            sortable(x, fromX),
            sortable(x, toX),
            sortable(y, fromY),
            sortable(y, toY)
          )
          val out = new PositionBuffer
          keys.search(index, ranges, 10, Long.MaxValue, out)
          val found = Seq.tabulate(out.size)(out(_))
          val expected = attributes.indices.drop(10).filter { i =>
            val attrs = attributes(i)
            ranges(0) <= attrs(0) && attrs(0) <= ranges(1) &&
            ranges(2) <= attrs(1) && attrs(1) <= ranges(3)
          }
          assert(found.distinct.size == found.size)
          assert(expected.forall(i => found.contains(i.toLong)))
        }
      }
    }
}

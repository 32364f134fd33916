package io.scalegate.index

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import io.scalegate.index.ZOrderCover.Greatest

final class ZOrderCoverSuite extends AnyFunSuite with ScalaCheckPropertyChecks {

  /** Also where the curve leaps: at the axes' middles and ends. */
  private val coordinate =
    Gen.frequency(
      3 -> Gen.choose(0L, Greatest),
      2 -> Gen.choose((1L << 31) - 20, (1L << 31) + 20),
      1 -> Gen.choose(0L, 20L),
      1 -> Gen.choose(Greatest - 20, Greatest)
    )

  private val interval = for {
    from <- coordinate
    length <- Gen.frequency(
      3 -> Gen.choose(0L, 20L),
      1 -> Gen.choose(0L, 1L << 20),
      1 -> Gen.const(Greatest)
    )
  } yield (from, math.min(Greatest, from + length))

  private def covered(rectangles: Seq[((Long, Long), (Long, Long))], density: Double = 1000) = {
    val cover = new ZOrderCover
    cover.clear()
    for (((left, right), (bottom, top)) <- rectangles) cover.add(left, right, bottom, top)
    cover.cut(density)
    val ranges = Vector.tabulate(cover.size)(i => (cover.lo(i), cover.hi(i)))
    val held = ranges.map { case (lo, hi) => BigDecimal(hi) - lo + 1 }.sum.toDouble
    assert(math.abs(held / cover.points - 1) < 1e-9)
    ranges
  }

  private def within(interval: (Long, Long), share: Double) =
    interval._1 + ((interval._2 - interval._1) * share).toLong

  test("a point of the rectangle is in one range, in whatever place the rectangle lies") {
    val share = Gen.choose(0.0, 1.0)
    forAll(interval, interval, share, share) { (x, y, s, t) =>
      val ranges = covered(Seq(x -> y))
      val points = Seq(
        (x._1, y._1),
        (x._1, y._2),
        (x._2, y._1),
        (x._2, y._2),
        (within(x, s), within(y, t))
      )
      for ((px, py) <- points) {
        val key = ZOrderCover.key(px, py)
        assert(ranges.count { case (lo, hi) => lo <= key && key <= hi } == 1)
      }
      assert(ranges.forall { case (lo, hi) => lo <= hi } && ranges.size <= ZOrderCover.Most)
      assert(ranges.zip(ranges.drop(1)).forall { case (a, b) => a._2 < b._1 })
    }
  }

  test("ranges of a small rectangle hold few points of others") {
    val few = Gen.choose(0L, 9L)
    forAll(coordinate, coordinate, few, few) { (left, bottom, width, height) =>
      val x = (left, math.min(Greatest, left + width))
      val y = (bottom, math.min(Greatest, bottom + height))
      val inside = (x._2 - x._1 + 1) * (y._2 - y._1 + 1)
      def held(density: Double) =
        covered(Seq(x -> y), density).map { case (lo, hi) => hi - lo + 1 }.sum
      assert(held(1000) <= 2 * inside)
      assert(
        held(1000) <= held(1) && held(1) <= inside + ZOrderCover.Most * ZOrderCover.SearchCost
      )
    }
  }

  test("a square that the curve passes in one piece is one range") {
    assert(covered(Seq((8L, 15L) -> (16L, 23L))).size == 1)
    val all = Seq((0L, Greatest) -> (0L, Greatest))
    assert(covered(all) == Vector((Long.MinValue, Long.MaxValue)))
  }

  test("several rectangles are covered together") {
    val ends = Seq((0L, 3L), (Greatest - 3, Greatest))
    val ranges = covered(for (y <- ends; x <- ends.reverse) yield x -> y)
    assert(ranges.size == 4 && ranges.map { case (lo, hi) => hi - lo + 1 }.sum == 64)
  }
}

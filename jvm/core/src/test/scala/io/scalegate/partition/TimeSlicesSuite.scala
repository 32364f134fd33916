package io.scalegate.partition

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

final class TimeSlicesSuite extends AnyFunSuite with ScalaCheckPropertyChecks {
  private val slices = new TimeSlices(
    Vector(HotKey(7, Array(100, 101, 102)), HotKey(-2, Array(200))),
    Vector(Array(10, 20), Array.empty)
  )

  test("a row lies in the slice that its time is in, which begins with its cut") {
    val at = slices.indexOf(7)
    assert(Seq(Long.MinValue, 9L, 10L, 19L, 20L, Long.MaxValue).map(slices.sliceOf(at, _)) ==
      Seq(0, 0, 1, 1, 2, 2))
    assert((0 until slices.slices(at)).map(slices.cell(at, _)) == Seq(100, 101, 102))
    assert(slices.slices(slices.indexOf(-2)) == 1)
    assert(slices.indexOf(3) < 0)
  }

  test("what is no way to cut is refused") {
    def refused(hot: Vector[HotKey], cuts: Vector[Array[Long]]) =
      assertThrows[IllegalArgumentException](new TimeSlices(hot, cuts))
    refused(Vector(HotKey(1, Array(1, 2))), Vector(Array.empty))
    refused(Vector(HotKey(1, Array(1, 2, 3))), Vector(Array(5, 5)))
    refused(Vector(HotKey(1, Array(1)), HotKey(1, Array(2))), Vector(Array.empty, Array.empty))
  }

  private val samples = for {
    times <- Gen.nonEmptyListOf(Gen.choose(-50L, 50L))
    slices <- Gen.choose(1, 9)
  } yield (times.sorted.toArray, slices)

  test("cuts rise, and no slice has more than its share and the rows of one time") {
    forAll(samples) { case (times, slices) =>
      val cuts = TimeSlices.cuts(times, Array.fill(times.length)(1.0), slices)
      assert(cuts.length < slices)
      assert(cuts.toSeq == cuts.toSeq.distinct.sorted)
      assert(cuts.forall(_ > times.head))
      val ends = cuts.toSeq :+ Long.MaxValue
      val sizes = (Long.MinValue +: cuts.toSeq).zip(ends).map { case (from, until) =>
        times.count(t => t >= from && t < until)
      }
      val dense = times.groupBy(identity).values.map(_.length).max
      assert(sizes.forall(_ <= math.ceil(times.length.toDouble / slices) + dense))
    }
  }

  test("rows of one time are not cut, and weights count") {
    assert(TimeSlices.cuts(Array.fill(100)(5L), Array.fill(100)(1.0), 4).isEmpty)
    val heavy = TimeSlices.cuts(Array(1, 2, 3, 4), Array(1, 1, 9, 1), 2)
    assert(heavy.toSeq == Seq(4))
  }
}

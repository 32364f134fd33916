package io.scalegate.lookup

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import io.scalegate.band.{AttributeType, IntegralBand}
import io.scalegate.stream.{Side, SortableKey}

/** A lookup's rows against all rows, filtered and sorted as the class says. */
final class NearestIndexSuite extends AnyFunSuite with ScalaCheckPropertyChecks {
  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = 300, sizeRange = 200)

  /** @param rank
    *   orders rows of one time
    */
  private case class Timed(key: Long, time: Long, rank: Int)

  private def rows(spread: Long): Gen[Timed] = for {
    key <- Gen.oneOf(Gen.choose(0L, 3L), Gen.oneOf(Long.MinValue, Long.MaxValue))
    time <- Gen.frequency(
      12 -> Gen.choose(-spread, spread),
      1 -> Gen.oneOf(Long.MinValue, Long.MaxValue)
    )
    rank <- Gen.choose(0, 1 << 20)
  } yield Timed(key, time, rank)

  private val cases = for {
    spread <- Gen.oneOf(2L, 60L, 5000L)
    held <- Gen.containerOf[Vector, Timed](rows(spread))
    probes <- Gen.containerOfN[Vector, Timed](20, rows(spread))
    direction <- Gen.oneOf(Direction.all)
    keyed <- Gen.oneOf(true, false)
    exact <- Gen.oneOf(true, false)
    reach <- Gen.option(Gen.choose(0L, spread))
  } yield {
    val band = reach.map(n => IntegralBand(AttributeType.Int64, -n, n))
    (held, probes, NearestIndex.By(direction, keyed, AttributeType.Int64, exact, band), reach)
  }

  private def indexed(by: NearestIndex.By, held: Vector[Timed]): NearestIndex = NearestIndex(
    by,
    Side.S,
    if (by.keyed) Some(held.map(_.key).toArray) else None,
    held.map(_.time).toArray,
    (a, b) => Integer.compare(held(a).rank, held(b).rank)
  )

  private def found(index: RowIndex, lookup: RowLookup, probe: Array[Long]): Vector[Int] = {
    lookup.start(probe)
    Iterator.continually(lookup.next()).takeWhile(_ >= 0).map(index.order(_)).toVector
  }

  private def expected(
      held: Vector[Timed],
      by: NearestIndex.By,
      reach: Option[Long],
      probe: Timed
  ): Vector[Timed] = {
    val may = held.filter { row =>
      val distance = BigInt(row.time) - probe.time
      (!by.keyed || row.key == probe.key) && (by.exact || distance != 0) &&
      reach.forall(distance.abs <= _)
    }
    val before = may.filter(_.time <= probe.time).sortBy(row => (row.time, row.rank)).reverse
    by.direction match {
      case Direction.Backward => before
      case Direction.Forward =>
        may.filter(_.time >= probe.time).sortBy(row => (row.time, row.rank))
      case Direction.Nearest =>
        val after = may.filter(_.time > probe.time).sortBy(row => (row.time, row.rank))
        // A stable sort: of rows as far away the earlier ones come first.
        (before ++ after).sortBy(row => (BigInt(row.time) - probe.time).abs)
    }
  }

  test("a lookup gives the rows from the nearest on, and ties in the order that it was given") {
    forAll(cases) { case (held, probes, by, reach) =>
      val index = indexed(by, held)
      val lookup = index.lookup()
      probes.foreach { probe =>
        val attributes =
          if (by.keyed) Array(probe.key, probe.time) else Array(probe.time)
        val rows = found(index, lookup, attributes).map(held(_))
        val wanted = expected(held, by, reach, probe)
        // Rows of one time and one rank may come in either order.
        assert(rows == wanted || rows.map(r => (r.time, r.rank)) == wanted.map(r =>
          (r.time, r.rank)
        ))
      }
    }
  }

  test("distances of floating-point numbers are those of the numbers, not of their bits") {
    val values = Vector(-1e300, -1.0, 0.25, 1e10, Double.PositiveInfinity, Double.NaN)
    val by = NearestIndex.By(Direction.Nearest, keyed = false, AttributeType.Float64)
    val index = NearestIndex(
      by,
      Side.S,
      None,
      values.map(SortableKey.ofDouble).toArray,
      (_, _) => 0
    )
    def nearest(d: Double) =
      values(found(index, index.lookup(), Array(SortableKey.ofDouble(d))).head)
    // In bits 1e6 is nearer to 1e10 than to 0.25.
    assert(nearest(1e6) == 0.25)
    assert(nearest(-0.5) == -1.0)
    assert(nearest(-1e200) == -1.0)
    assert(nearest(Double.MaxValue) == 1e10)
    assert(nearest(Double.NaN).isNaN)
    assert(nearest(Double.PositiveInfinity) == Double.PositiveInfinity)
  }

  test("times at both ends of 64 bits are as far apart as they are") {
    val by = NearestIndex.By(Direction.Nearest, keyed = false, AttributeType.Int64)
    val index =
      NearestIndex(by, Side.S, None, Array(Long.MinValue, Long.MaxValue), (_, _) => 0)
    assert(found(index, index.lookup(), Array(-2L)) == Vector(0, 1))
    assert(found(index, index.lookup(), Array(0L)) == Vector(1, 0))
  }

  test("an index without rows, and a key that no row has, give nothing") {
    for (keyed <- Seq(true, false)) {
      val by = NearestIndex.By(Direction.Nearest, keyed, AttributeType.Int64)
      val empty = indexed(by, Vector.empty)
      assert(found(empty, empty.lookup(), Array(1L, 1L)).isEmpty)
    }
    val by = NearestIndex.By(Direction.Nearest, keyed = true, AttributeType.Int64)
    val index = indexed(by, Vector(Timed(1, 1, 0)))
    val lookup = index.lookup()
    assert(found(index, lookup, Array(2L, 1L)).isEmpty)
    assert(found(index, lookup, Array(1L, 1L)) == Vector(0))
  }

  test("what does not fit together is refused") {
    val by = NearestIndex.By(Direction.Backward, keyed = true, AttributeType.Int64)
    val e = intercept[IllegalArgumentException](
      NearestIndex(by, Side.S, None, Array(1L), (_, _) => 0)
    )
    assert(e.getMessage.contains("given none"))
  }
}

package io.scalegate.indexjoin

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import io.scalegate.band.{AttributeType, Band, FloatingBand, IntegralBand}
import io.scalegate.stream.SortableKey

final class BandCellsSuite extends AnyFunSuite with ScalaCheckPropertyChecks {
  import AttributeType._

  private val bands: Gen[Band] = {
    val width = Gen.oneOf(0L, 1L, 7L, 1000L, 1L << 33, Long.MaxValue)
    val number = Gen.oneOf(0.0, Double.MinPositiveValue, 1e-3, 25.0, 1e9, 1e308)
    Gen.oneOf(
      for (below <- width; above <- width) yield IntegralBand(Int64, -below, above),
      for (below <- width) yield IntegralBand(Int32, -(below min 1000), 3),
      for (below <- number; above <- number) yield FloatingBand(Float64, -below, above),
      for (below <- number) yield FloatingBand(Float32, -(below min 1e30), 0.5)
    )
  }

  private def key(band: Band): Gen[Long] = band.attribute match {
    case Int32 => Gen.choose(Int.MinValue, Int.MaxValue).map(_.toLong)
    case Int64 => Gen.oneOf(Gen.long, Gen.choose(-3000L, 3000L))
    case Float32 => number.map(v => SortableKey.ofFloat(v.toFloat).toLong)
    case Float64 => number.map(SortableKey.ofDouble)
  }

  private def number = Gen.oneOf(
    Gen.oneOf(0.0, Double.NaN, Double.PositiveInfinity, Double.NegativeInfinity, Double.MaxValue),
    Gen.choose(-1e300, 1e300),
    Gen.choose(-100.0, 100.0),
    Gen.choose(-1e-3, 1e-3)
  )

  private val cases = for {
    band <- bands
    first <- key(band)
    second <- key(band)
  } yield (band, math.min(first, second), math.max(first, second))

  test("a cell does not fall where an attribute rises, whatever the band and its bits") {
    forAll(cases, Gen.oneOf(4, 20)) { case ((band, least, greatest), bits) =>
      val cells = new BandCells(band, bits)
      assert(cells.of(least) <= cells.of(greatest))
    }
  }

  test("what an index carries lets every attribute within the bounds through") {
    forAll(cases) { case (band, least, greatest) =>
      val carried = new CarriedBand(band)
      val query = new io.scalegate.index.RangeQuery
      carried.restrict(query, least, greatest)
      for (attribute <- Seq(least, greatest)) {
        val value = carried.value(attribute)
        assert(query.least <= value && value <= query.greatest)
      }
    }
  }

  test("a band is as wide as half of the cells that its bits can number, or more") {
    for (width <- Seq(1000L, 1L << 20, (1L << 40) + 5)) {
      val cells = new BandCells(IntegralBand(Int64, 0, width), 4)
      for (at <- Seq(-5000L, 0L, 123456789L)) {
        val crossed = cells.of(at + width) - cells.of(at)
        assert(crossed >= 8 - 1 && crossed <= 16)
      }
    }
    val cells = new BandCells(FloatingBand(Float64, -0.25, 0.25), 4)
    val crossed =
      cells.of(SortableKey.ofDouble(7.25)) - cells.of(SortableKey.ofDouble(6.75))
    assert(crossed == 8)
  }
}

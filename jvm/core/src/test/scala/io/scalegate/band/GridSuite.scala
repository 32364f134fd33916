package io.scalegate.band

import org.scalacheck.Gen
import org.scalactic.anyvals.PosInt
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import io.scalegate.Sample
import io.scalegate.stream.{Side, SortableKey}

/** Each pair that the bands let through meets in exactly one cell. */
final class GridSuite extends AnyFunSuite with ScalaCheckPropertyChecks {
  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = PosInt.ensuringValid(Sample.cases(300)))

  private val longs = Gen.oneOf(
    Gen.choose(-1000L, 1000L),
    Gen.oneOf(Long.MinValue, Long.MinValue + 3, Long.MaxValue - 3, Long.MaxValue, 0L)
  )

  private val doubles = Gen.oneOf(
    Gen.choose(-1000.0, 1000.0),
    Gen.oneOf(
      Double.NaN,
      Double.PositiveInfinity,
      Double.NegativeInfinity,
      -0.0,
      1e17,
      -1e17,
      1e300,
      Double.MaxValue,
      Double.MinPositiveValue
    )
  )

  private def meetings(grid: Grid, r: Array[Long], s: Array[Long]): Int = {
    val (own, reached) = (new CellBuffer, new CellBuffer)
    grid.cell(r, own)
    grid.cells(s, reached)
    assert(own.size == 1)
    (0 until reached.size).count(i => reached(i) == own(0))
  }

  private def within(band: Band, r: Long, s: Long): Boolean =
    s >= band.least(Side.R, r) && s <= band.greatest(Side.R, r)

  /** What a user may have written: a difference, or two sums. */
  private def matches(x: Double, y: Double, lower: Double, upper: Double): Boolean =
    (y - x >= lower && y - x <= upper) || (y >= x + lower && y <= x + upper) || (x.isNaN && y.isNaN)

  test("integer pairs within the band meet once, at the ends of the range too") {
    forAll(longs, longs, Gen.choose(-50L, 50L), Gen.choose(0L, 60L)) { (r, s, lower, width) =>
      val band = IntegralBand(AttributeType.Int64, lower, lower + width)
      val met = meetings(Grid(Vector(band)), Array(r), Array(s))
      assert(met <= 1)
      if (within(band, r, s)) assert(met == 1)
    }
  }

  test("floating-point pairs within the band meet once, NaN and infinities among them") {
    forAll(doubles, Gen.choose(-20.0, 20.0), Gen.choose(0.0, 15.0)) { (x, lower, width) =>
      val band = FloatingBand(AttributeType.Float64, lower, lower + width)
      forAll(Gen.oneOf(
        doubles,
        Gen.oneOf(x, x + lower, x + lower + width, x + lower + width / 2)
      )) {
        y =>
          val (r, s) = (SortableKey.ofDouble(x), SortableKey.ofDouble(y))
          val met = meetings(Grid(Vector(band)), Array(r), Array(s))
          assert(met <= 1)
          if (matches(x, y, lower, lower + width)) assert(met == 1, s"$x $y $band")
      }
    }
  }

  test("a row reaches few cells, however large it is and however narrow its band") {
    val numbers = for {
      exponent <- Gen.choose(-320, 308)
      digits <- Gen.choose(-9.99, 9.99)
      number <- Gen.oneOf(
        Gen.const(digits * math.pow(10, exponent.toDouble)),
        Gen.oneOf(doubles, Gen.const(digits * math.pow(10, exponent / 10.0)))
      )
    } yield number
    val ends = Gen.oneOf(
      numbers,
      Gen.oneOf(Float.MaxValue.toDouble, Float.MaxValue * 1.5, Float.MinPositiveValue.toDouble)
    )
    val finite = numbers.map(d => if (d.isNaN || d.isInfinite) 0.0 else d)
    val buffer = new CellBuffer
    val bounds = Gen.frequency(9 -> finite, 1 -> Gen.oneOf(0.0, Double.MinPositiveValue, 1e-46))
    val tried = minSuccessful(PosInt.ensuringValid(Sample.cases(20000)))
    forAll(ends, bounds, bounds, tried) { (x, a, b) =>
      for {
        precision <- Seq(AttributeType.Float32, AttributeType.Float64)
        rounding <- Seq(
          Rounding.forAttribute(precision),
          Rounding.None,
          Rounding.forAttribute(AttributeType.Float32)
        )
      } {
        val band = FloatingBand(precision, math.min(a, b), math.max(a, b), rounding)
        val key =
          if (precision.bits == 32) SortableKey.ofFloat(x.toFloat).toLong
          else SortableKey.ofDouble(x)
        Grid(Vector(band)).cells(Array(key), buffer)
        assert(buffer.size <= 4, s"$x $band")
      }
    }
  }

  test("in two dimensions a pair still meets once") {
    val bands = Vector(
      IntegralBand(AttributeType.Int32, -3, 4),
      FloatingBand(AttributeType.Float32, -1.5, 0.5)
    )
    val grid = Grid(bands)
    val points = for (i <- Gen.choose(-40, 40); f <- Gen.choose(-20f, 20f)) yield (i, f)
    def keys(p: (Int, Float)) = Array(p._1.toLong, SortableKey.ofFloat(p._2).toLong)
    forAll(points, points) { (r, s) =>
      val met = meetings(grid, keys(r), keys(s))
      assert(met <= 1)
      if (
        within(bands(0), r._1.toLong, s._1.toLong) && s._2 - r._2 >= -1.5f && s._2 - r._2 <= 0.5f
      )
        assert(met == 1)
    }
  }

  test("a row that lies within one cell's borders is not replicated for nothing") {
    val grid = Grid(Vector(IntegralBand(AttributeType.Int64, -10, 10)))
    val buffer = new CellBuffer
    val copies = (0L until 8400L).map { s =>
      grid.cells(Array(s), buffer)
      buffer.size
    }
    assert(copies.max == 2)
    assert(copies.sum < 8400 * 1.3)
  }
}

package io.scalegate.lookup

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import io.scalegate.band.{AttributeType, Band, FloatingBand, IntegralBand}
import io.scalegate.column.RadixOrder
import io.scalegate.stream.{Side, SortableKey}

/** A lookup's rows against a filter over all rows. */
final class BandIndexSuite extends AnyFunSuite with ScalaCheckPropertyChecks {
  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = 200, sizeRange = 400)

  private val integral: Gen[Band] = for {
    t <- Gen.oneOf(AttributeType.Int32, AttributeType.Int64)
    lower <- Gen.oneOf(Gen.choose(-40L, 40L), Gen.oneOf(Long.MinValue, Long.MinValue / 2, 0L))
    width <- Gen.oneOf(Gen.choose(0L, 60L), Gen.oneOf(0L, Long.MaxValue))
  } yield IntegralBand(t, lower, math.max(lower, lower + width))

  private val floating: Gen[Band] = for {
    t <- Gen.oneOf(AttributeType.Float32, AttributeType.Float64)
    lower <- Gen.choose(-20.0, 20.0)
    width <- Gen.choose(0.0, 15.0)
  } yield FloatingBand(t, lower, lower + width)

  /** Keys as dense as bands are wide, or as sparse as the whole of their type. */
  private def key(t: AttributeType, spread: Int): Gen[Long] = {
    val integers = Gen.choose(-spread.toLong, spread.toLong)
    val special = Seq(Double.NaN, Double.PositiveInfinity, Double.NegativeInfinity, -0.0, 3e38)
    val doubles =
      Gen.frequency(9 -> integers.map(_ / 4.0), 1 -> Gen.oneOf(special))
    t match {
      case AttributeType.Int32 =>
        Gen.frequency(
          9 -> integers,
          1 -> Gen.oneOf(Int.MinValue, Int.MaxValue).map(_.toLong)
        )
      case AttributeType.Int64 =>
        Gen.frequency(9 -> integers, 1 -> Gen.oneOf(Long.MinValue, Long.MaxValue))
      case AttributeType.Float32 => doubles.map(d => SortableKey.ofFloat(d.toFloat).toLong)
      case AttributeType.Float64 => doubles.map(SortableKey.ofDouble)
    }
  }

  private case class Case(
      bands: Vector[Band],
      rows: Vector[Array[Long]],
      probes: Vector[Array[Long]]
  )

  private val cases: Gen[Case] = for {
    bands <- Gen.choose(1, 4).flatMap(Gen.listOfN(_, Gen.oneOf(integral, floating)))
    spreads <- Gen.listOfN(bands.size, Gen.oneOf(1, 50, 2000))
    tuple = Gen.sequence[Vector[Long], Long](bands.zip(spreads).map { case (b, s) =>
      key(b.attribute, s)
    })
    rows <- Gen.containerOf[Vector, Vector[Long]](tuple)
    probes <- Gen.containerOfN[Vector, Vector[Long]](20, tuple)
  } yield Case(bands.toVector, rows.map(_.toArray), probes.map(_.toArray))

  private def within(band: Band, side: Side, probe: Long, row: Long): Boolean =
    band.least(side.opposite, probe) <= row && row <= band.greatest(side.opposite, probe)

  private def indexed(bands: Vector[Band], side: Side, rows: Vector[Array[Long]]): BandIndex =
    BandIndex(
      bands,
      side,
      bands.indices.map(i => rows.map(_(i)).toArray)
    )

  /** The index's numbers of the rows found. */
  private def found(lookup: RowLookup, probe: Array[Long]): Seq[Int] = {
    lookup.start(probe)
    Iterator.continually(lookup.next()).takeWhile(_ >= 0).toSeq
  }

  for (side <- Seq(Side.R, Side.S))
    test(s"a lookup gives each row of $side that all bands let through, once") {
      forAll(cases) { c =>
        val index = indexed(c.bands, side, c.rows)
        val lookup = index.lookup()
        c.probes.foreach { probe =>
          val expected = c.rows.indices.filter { row =>
            c.bands.indices.forall(i => within(c.bands(i), side, probe(i), c.rows(row)(i)))
          }
          assert(found(lookup, probe).map(index.order(_)).sorted == expected)
        }
      }
    }

  test("rows are compared with those near them in two attributes, whatever their order") {
    val wide = IntegralBand(AttributeType.Int64, -100000, 100000)
    val x = IntegralBand(AttributeType.Int32, -10, 10)
    val y = FloatingBand(AttributeType.Float32, -10, 10)
    val random = new java.util.SplittableRandom(3)
    val rows = Vector.fill(20000) {
      val f = SortableKey.ofFloat(random.nextInt(10000).toFloat).toLong
      Array(random.nextInt(100000).toLong, random.nextInt(10000).toLong, f)
    }
    for (order <- Seq(Vector(0, 1, 2), Vector(2, 1, 0), Vector(1, 0, 2))) {
      val bands = order.map(Vector(wide, x, y))
      val lookup = indexed(bands, Side.S, rows.map(r => order.map(r(_)).toArray)).lookup()
      rows.take(1000).foreach(r => found(lookup, order.map(r(_)).toArray))
      // itself, and of 20,000 rows those in three stripes of 21 in 10,000 and a range of as much
      assert(lookup.comparisons < 2000)
    }
  }

  test(
    "with an equi key only rows of that key are compared, and those of a time after each other"
  ) {
    val key = IntegralBand(AttributeType.Int64, 0, 0)
    val time = IntegralBand(AttributeType.Int64, -50, 50)
    val rows = Vector.tabulate(20000)(i => Array((i % 100).toLong, i.toLong))
    for (order <- Seq(Vector(0, 1), Vector(1, 0))) {
      val bands = order.map(Vector(key, time))
      val lookup = indexed(bands, Side.S, rows.map(r => order.map(r(_)).toArray)).lookup()
      val inner = rows.filter(r => r(1) >= 50 && r(1) < 19950)
      val matches = inner.map(r => found(lookup, order.map(r(_)).toArray).size).sum
      assert(matches == inner.size)
      assert(lookup.comparisons == matches)
    }
  }

  test("rows of one value, and none, are looked up too") {
    val band = Vector(IntegralBand(AttributeType.Int64, -1, 1))
    val same = indexed(band, Side.R, Vector.fill(5000)(Array(7L)))
    val lookup = same.lookup()
    assert(found(lookup, Array(8L)).size == 5000)
    assert(found(lookup, Array(9L)).isEmpty)
    assert(found(indexed(band, Side.R, Vector.empty).lookup(), Array(0L)).isEmpty)
  }

  test("keys that do not fit the rows are refused") {
    val band = Vector(IntegralBand(AttributeType.Int64, -1, 1))
    val other = IntegralBand(AttributeType.Int32, 0, 0)
    intercept[IllegalArgumentException](
      BandIndex(band :+ other, Side.R, Vector(Array(1L), Array.empty))
    )
    intercept[IllegalArgumentException](BandIndex(band, Side.R, Vector.empty))
    intercept[IllegalArgumentException](BandIndex(Vector.empty, Side.R, Vector.empty))
  }

  test("a radix order is the stable order of the keys") {
    val keys = Gen.containerOf[Array, Long](
      Gen.oneOf(Gen.choose(-5L, 5L), Gen.choose(Long.MinValue, Long.MaxValue))
    )
    forAll(keys) { k =>
      assert(RadixOrder.by(k, k.indices.toArray).toSeq == k.indices.sortBy(k(_)))
      val falling = k.indices.reverse
      assert(RadixOrder.by(k, falling.toArray).toSeq == falling.sortBy(k(_)))
    }
  }
}

package io.scalegate.column

import java.util.SplittableRandom

import org.scalatest.funsuite.AnyFunSuite

import io.scalegate.band.AttributeType
import io.scalegate.stream.SortableKey

/** A probe's candidates against a filter over the window's rows. */
class WindowProbeSuite extends AnyFunSuite {
  import AttributeType._

  final private class Row(val attrs: Array[Long])

  private def candidates(
      probe: WindowProbe,
      from: Int,
      until: Int,
      ranges: Array[Long]
  ): Seq[AnyRef] = {
    val n = probe.search(from, until, ranges)
    (0 until n).map(probe.row)
  }

  private def value(random: SplittableRandom, t: AttributeType, spread: Int): Long = t match {
    case Int32 | Int64 => random.nextInt(-spread, spread + 1).toLong
    case Float32 => SortableKey.ofFloat(random.nextInt(-spread, spread + 1).toFloat).toLong
    case Float64 => SortableKey.ofDouble(random.nextInt(-spread, spread + 1).toDouble)
  }

  private def matching(rows: Seq[Row], ranges: Array[Long]): Seq[Row] =
    rows.filter(r =>
      r.attrs.indices.forall(i => ranges(2 * i) <= r.attrs(i) && r.attrs(i) <= ranges(2 * i + 1))
    )

  private val shapes = Seq(
    Vector.empty,
    Vector(Int32),
    Vector(Int64),
    Vector(Int32, Float32),
    Vector(Float64, Int32),
    Vector(Int64, Float32, Int32)
  )

  for (kernel <- Seq(new ScalarKernel, new VectorKernel); shape <- shapes)
    test(
      s"${kernel.name} over (${shape.mkString(", ")}) finds exactly the rows in range, in order"
    ) {
      val random = new SplittableRandom(5)
      for (size <- (0 to 70) ++ Seq(1000, 20000); spread <- Seq(2, 1000)) {
        val window = new ColumnarWindow(shape)
        // Old rows before the ones that count, so that the ring has wrapped when the probe runs.
        for (_ <- 1 to size / 2 + 3) window.append(0, new Array[Long](shape.length), "old")
        window.expireBefore(1)
        window.append(0, new Array[Long](shape.length), "old")
        val rows = Vector.fill(size)(new Row(shape.map(value(random, _, spread)).toArray))
        rows.zipWithIndex.foreach { case (r, i) =>
          window.append(i + 1L, r.attrs, r)
          if (i == 0) window.expireBefore(1)
        }
        val held = if (size == 0) 0 else size
        val probe = new WindowProbe(window, kernel)
        for (_ <- 1 to 4) {
          val ranges = shape.flatMap { t =>
            val (a, b) = (value(random, t, spread), value(random, t, spread))
            Seq(math.min(a, b), math.max(a, b))
          }.toArray
          val until = random.nextInt(held + 1)
          val from = if (random.nextBoolean()) 0 else random.nextInt(until + 1)
          val part = rows.slice(from, until)
          assert(candidates(probe, from, until, ranges) == matching(part, ranges))
        }
      }
    }

  test(
    "a range beyond a 32-bit column's numbers has no candidates; one that overlaps is clamped"
  ) {
    val window = new ColumnarWindow(Vector(Int32))
    val values = Seq(Int.MinValue, -1, 0, 1, Int.MaxValue) ++ Seq.fill(60)(7)
    values.foreach(v => window.append(0, Array(v.toLong), Int.box(v)))
    val probe = new WindowProbe(window)
    def found(lo: Long, hi: Long) = candidates(probe, 0, window.size, Array(lo, hi))
    assert(found(Int.MaxValue + 1L, Long.MaxValue).isEmpty)
    assert(found(Long.MinValue, Int.MinValue - 1L).isEmpty)
    assert(found(1L << 32, (1L << 32) + 10).isEmpty)
    assert(found(Int.MaxValue.toLong, Long.MaxValue) == Seq(Int.MaxValue))
    assert(found(Long.MinValue, Int.MinValue.toLong) == Seq(Int.MinValue))
    assert(found(Long.MinValue, Long.MaxValue) == values)
    assert(found(5, 4).isEmpty)
  }

  test("an unselective first band gives the lead to a selective one") {
    val window = new ColumnarWindow(Vector(Int32, Int64))
    for (i <- 0 until 100000) window.append(i.toLong, Array(1L, i % 1000L), Int.box(i))
    val probe = new WindowProbe(window)
    for (key <- 0 until 20) {
      val expected = (key until 100000 by 1000).map(Int.box)
      assert(candidates(probe, 0, window.size, Array(0L, 2L, key.toLong, key.toLong)) == expected)
    }
    assert(probe.leadingBand == 1)
    assert(probe.comparisons == 20 * 100000L)
  }
}

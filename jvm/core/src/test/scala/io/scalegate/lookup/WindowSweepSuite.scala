package io.scalegate.lookup

import java.util.SplittableRandom

import org.scalatest.funsuite.AnyFunSuite

import io.scalegate.band.AttributeType
import io.scalegate.column.WindowLimitException

/** The sweep against a filter over the whole build side. */
class WindowSweepSuite extends AnyFunSuite {
  import AttributeType._

  final private class Row(val position: Long, val attrs: Vector[Long])

  /** Counts what the sweep asks for. */
  final private class Cursor(rows: IndexedSeq[Row]) extends BuildRows {
    var at: Int = -1
    var copies = 0

    def advance(): Boolean = {
      assert(at < rows.length, "advanced beyond the end")
      at += 1
      at < rows.length
    }
    def position: Long = rows(at).position
    def attribute(i: Int): Long = rows(at).attrs(i)
    def row(): AnyRef = { copies += 1; rows(at) }
  }

  private def probe(
      sweep: WindowSweep,
      low: Long,
      high: Long,
      ranges: Array[Long]
  ): Seq[AnyRef] = {
    val n = sweep.probe(low, high, ranges)
    (0 until n).map(sweep.candidate)
  }

  private def expected(rows: Seq[Row], low: Long, high: Long, ranges: Array[Long]): Seq[Row] =
    rows.filter { r =>
      low <= r.position && r.position <= high &&
      r.attrs.indices.forall(i => ranges(2 * i) <= r.attrs(i) && r.attrs(i) <= ranges(2 * i + 1))
    }

  for (
    shape <- Seq(Vector.empty, Vector(Int32), Vector(Int64, Int32)); monotone <- Seq(true, false)
  )
    test(s"(${shape.mkString(", ")}) finds what a filter finds, rising high ends: $monotone") {
      val random = new SplittableRandom(7)
      val sweep = new WindowSweep(shape)
      for (group <- 0 until 300) {
        val size = if (group % 10 == 0) random.nextInt(500) else random.nextInt(25)
        val rows = Vector
          .fill(size)(new Row(
            random.nextInt(100).toLong,
            shape.map(_ => random.nextInt(10).toLong)
          ))
          .sortBy(_.position)
        val cursor = new Cursor(rows)
        sweep.restart(cursor)
        for (low <- Seq.fill(random.nextInt(40))(random.nextInt(-10, 110).toLong).sorted) {
          val high = low + (if (monotone) 12 else random.nextInt(-3, 60))
          val ranges = shape.flatMap { _ =>
            val a = random.nextInt(10).toLong
            Seq(a, a + random.nextInt(5))
          }.toArray
          assert(probe(sweep, low, high, ranges) == expected(rows, low, high, ranges))
        }
        assert(cursor.copies <= size)
      }
      assert(sweep.rowsKept > 0 && sweep.peakWindow > 0)
    }

  test("a build row that no probe reaches is not kept, and the cursor is at most one row ahead") {
    val cursor = new Cursor((0 until 1000).map(i => new Row(i.toLong, Vector.empty)))
    val sweep = new WindowSweep(Vector.empty)
    sweep.restart(cursor)
    assert(probe(sweep, 500, 502, Array.empty).size == 3)
    assert(cursor.copies == 3 && cursor.at == 503)
    assert(probe(sweep, 600, 599, Array.empty).isEmpty)
    assert(probe(sweep, 600, 600, Array.empty).size == 1)
    assert(sweep.rowsKept == 4 && sweep.peakWindow == 3)
  }

  test("positions at the ends of Long") {
    val rows = Vector(Long.MinValue, Long.MinValue, 0L, Long.MaxValue, Long.MaxValue)
      .map(new Row(_, Vector.empty))
    val sweep = new WindowSweep(Vector.empty)
    sweep.restart(new Cursor(rows))
    assert(probe(sweep, Long.MinValue, Long.MinValue, Array.empty) == rows.take(2))
    assert(probe(sweep, Long.MinValue, Long.MaxValue, Array.empty) == rows)
    assert(probe(sweep, Long.MaxValue, Long.MaxValue, Array.empty) == rows.drop(3))
  }

  test("probes or build rows out of order are refused with both positions") {
    val sweep = new WindowSweep(Vector.empty)
    sweep.restart(new Cursor(Vector(new Row(5, Vector.empty), new Row(4, Vector.empty))))
    val build = intercept[IllegalArgumentException](sweep.probe(0, 10, Array.empty))
    assert(build.getMessage.contains("build") && build.getMessage.contains("4 comes after 5"))
    sweep.restart(new Cursor(Vector.empty))
    sweep.probe(3, 10, Array.empty)
    val probes = intercept[IllegalArgumentException](sweep.probe(2, 10, Array.empty))
    assert(probes.getMessage.contains("2 comes after 3"))
  }

  test("a window beyond the limit is refused") {
    val sweep = new WindowSweep(Vector(Int32), maxRows = 100)
    sweep.restart(new Cursor((0 until 1000).map(i => new Row(i.toLong, Vector(0L)))))
    assert(sweep.probe(0, 99, Array(0L, 0L)) == 100)
    assert(intercept[WindowLimitException](sweep.probe(0, 100, Array(0L, 0L))).limit == 100)
  }

  test("a build row that there is no room for leaves the window as it is, oldest row first") {
    val rows = (0 until 10).map(i => new Row(i.toLong, Vector.empty))
    final class Small extends BuildRows {
      var at: Int = -1
      def advance(): Boolean = { at += 1; at < rows.length }
      def position: Long = at.toLong
      def attribute(i: Int): Long = 0L
      def row(): AnyRef = if (at < 4) rows(at) else null
    }
    val small = new Small
    val sweep = new WindowSweep(Vector.empty)
    sweep.restart(small)
    assert(sweep.probe(1, 3, Array.empty) == 3)
    assert(sweep.probe(2, 6, Array.empty) == WindowSweep.NoRoom)
    assert(small.at == 4, "the cursor stands on that row")
    assert(Seq.fill(3)(sweep.removeOldest()) == Seq(rows(2), rows(3), null))
    sweep.restart(new Cursor(rows))
    assert(sweep.probe(0, 9, Array.empty) == 10)
  }
}

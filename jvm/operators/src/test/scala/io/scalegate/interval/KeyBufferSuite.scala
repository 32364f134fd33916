package io.scalegate.interval

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import io.scalegate.column.ScalarKernel
import io.scalegate.join.JoinRuns
import io.scalegate.stream.{Side, StreamTuple}

/** A key's buffer and its search against a sorted list. */
final class KeyBufferSuite extends AnyFunSuite with ScalaCheckPropertyChecks {
  private def tuple(ts: Long, seq: Long): StreamTuple =
    JoinRuns.tuple(ts, 0, seq, Side.R, 7, ts % 5, seq % 3)

  private def contents(buffer: KeyBuffer): Vector[Long] =
    Vector.tabulate(buffer.size)(i => buffer.row(buffer.first + i).seq)

  /** Times that rise on the whole, now and then out of order, and how far to expire before. */
  private val steps = Gen.listOf(Gen.zip(Gen.choose(-6L, 3L), Gen.option(Gen.choose(-9L, 2L))))

  test("rows lie in order of time, equal ones of arrival, and expired ones are gone") {
    forAll(steps) { steps =>
      val buffer = new KeyBuffer(2)
      var expected = Vector.empty[StreamTuple]
      for (((jitter, expiry), i) <- steps.zipWithIndex) {
        val t = tuple(i + jitter, i.toLong)
        buffer.add(t.ts, t)
        expected = (expected :+ t).sortBy(t => (t.ts, t.seq))
        for (before <- expiry.map(_ + i)) {
          val kept = expected.filter(_.ts >= before)
          assert(buffer.expireBefore(before) == expected.size - kept.size)
          expected = kept
        }
        assert(contents(buffer) == expected.map(_.seq))
        for (place <- Seq(i - 4L, i + 0L, Long.MinValue, Long.MaxValue)) {
          assert(buffer.indexFrom(place) - buffer.first == expected.count(_.ts < place))
          assert(buffer.indexAfter(place) - buffer.first == expected.count(_.ts <= place))
        }
      }
    }
  }

  private val ranges = Gen.listOfN(3, Gen.zip(Gen.choose(-1L, 5L), Gen.choose(-1L, 5L)))

  test("a search finds the rows of a run whose attributes lie in every range, in order") {
    forAll(Gen.choose(0, 60), ranges, Gen.choose(0, 2)) { (n, ranges, width) =>
      val buffer = new KeyBuffer(width)
      val rows = Vector.tabulate(n)(i => tuple(i.toLong, i.toLong))
      rows.foreach(t => buffer.add(t.ts, t))
      val search = new KeyBufferSearch(width, new ScalarKernel)
      val bounds = ranges.take(width + 1).flatMap { case (lo, hi) => Seq(lo, hi) }.toArray
      val from = n / 4
      val found = search.search(buffer, from, n, bounds)
      val expected = rows.drop(from).filter(t =>
        (1 to width).forall(i => bounds(2 * i) <= t.attrs(i) && t.attrs(i) <= bounds(2 * i + 1))
      )
      assert(Vector.tabulate(found)(search.row) == expected)
      assert(search.comparisons == n - from)
    }
  }

  test("a dropped row's payload is not kept alive") {
    val buffer = new KeyBuffer(0)
    for (i <- 0 until 100) {
      buffer.add(i.toLong, tuple(i.toLong, i.toLong))
      buffer.expireBefore(i - 3L)
    }
    val last = buffer.first + buffer.size
    assert((0 until buffer.first).forall(buffer.row(_) == null))
    assert((buffer.first until last).forall(buffer.row(_) != null))
  }
}

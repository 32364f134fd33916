package io.scalegate.multiway

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import io.scalegate.multiway.function.Functions
import io.scalegate.multiway.sequence.{Session, SessionWindows, TupleWindows}

/** Tuple-based windows and sessions of one key against their definitions. */
class OtherWindowsSuite extends AnyFunSuite with ScalaCheckPropertyChecks {
  private val last = Functions.last[Long, Long](t => t)
  private val first = Functions.first[Long, Long](t => t)
  private val bounds = Functions.several[Long](first, last, Functions.count)
  private val sums = Functions.sum[Long](t => t)

  test("after every m-th tuple comes a window of the last n, or of all there are") {
    forAll(Gen.choose(1, 12), Gen.choose(1, 12), Gen.choose(0, 80)) { (n, m, tuples) =>
      val windows = new TupleWindows(n.toLong, m.toLong, bounds)
      val inverted = new TupleWindows(n.toLong, m.toLong, sums)
      for (t <- 1 to tuples) {
        val ended = windows.add(t.toLong)
        assert(ended == (t % m == 0))
        assert(inverted.add(t.toLong) == ended)
        if (ended) {
          val from = math.max(1, t - n + 1)
          assert(windows.result ==
            Vector[Any](Some(from.toLong), Some(t.toLong), (t - from + 1).toLong))
          assert(inverted.result == (from to t).map(_.toLong).sum)
        }
      }
    }
  }

  test("a window of no tuples and an advance of none are refused") {
    for (bad <- Seq(0L, -3L)) {
      assert(intercept[IllegalArgumentException](new TupleWindows(bad, 1, last)).getMessage
        .contains(s"at least one tuple, not $bad"))
      intercept[IllegalArgumentException](new TupleWindows(1, bad, last))
      assert(intercept[IllegalArgumentException](new SessionWindows(bad, last)).getMessage
        .contains(s"positive, not $bad"))
    }
  }

  /** Cuts times where neighbours are too far apart, in unbounded integers. */
  private def defined(gap: Long, times: Vector[Long]): Vector[Session[Any]] =
    times.foldLeft(Vector.empty[Vector[Long]]) { (sessions, t) =>
      sessions.lastOption match {
        case Some(s) if BigInt(t) - s.last < gap => sessions.init :+ (s :+ t)
        case _ => sessions :+ Vector(t)
      }
    }.map(s => Session(s.head, s.last, Vector[Any](Some(s.head), Some(s.last), s.size.toLong)))

  private val times: Gen[Vector[Long]] = Gen.oneOf(
    Gen.listOf(Gen.choose(-50L, 50L)),
    Gen.listOf(Gen.oneOf(Long.MinValue, Long.MinValue + 2, -1L, 0L, Long.MaxValue))
  ).map(_.sorted.toVector)

  test("a session ends where the next tuple comes the gap or more later") {
    forAll(Gen.oneOf(Gen.choose(1L, 9L), Gen.const(Long.MaxValue)), times) { (gap, ts) =>
      val sessions = new SessionWindows(gap, bounds)
      val ended = ts.flatMap(t => sessions.add(t, t)) ++ sessions.endAny()
      assert(ended == defined(gap, ts))
      assert(sessions.endAny().isEmpty)
    }
  }

  test("a session ends by itself exactly when nothing that may come belongs to it") {
    val sessions = new SessionWindows(5, bounds)
    assert(sessions.endBefore(100).isEmpty)
    sessions.add(10, 10L)
    sessions.add(14, 14L)
    assert(sessions.endBefore(18).isEmpty)
    assert(sessions.endBefore(19).map(s => (s.start, s.end)).contains((10L, 14L)))
    assert(sessions.endBefore(200).isEmpty)
  }
}

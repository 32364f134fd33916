package io.scalegate.stream

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

/** Windows and panes against their definition in unbounded integers. */
class SlidingWindowsSuite extends AnyFunSuite with ScalaCheckPropertyChecks {
  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = 2000)

  private val lengths: Gen[Long] =
    Gen.frequency(
      8 -> Gen.choose(1L, 30L),
      1 -> Gen.choose(1L, Long.MaxValue),
      1 -> Gen.oneOf(Long.MaxValue, Long.MaxValue - 1, Long.MaxValue / 2)
    )

  private val windows: Gen[SlidingWindows] =
    Gen.zip(lengths, lengths).suchThat { case (size, advance) => size / advance < 1000 }
      .map { case (size, advance) => SlidingWindows(size, advance) }

  private val times: Gen[Long] = Gen.frequency(
    4 -> Gen.choose(-60L, 60L),
    1 -> Gen.choose(Long.MinValue, Long.MaxValue),
    2 -> Gen.choose(0L, 70L).map(Long.MinValue + _),
    2 -> Gen.choose(0L, 70L).map(Long.MaxValue - _)
  )

  /** The starts of the windows that hold `ts`, of those that a `Long` can name. */
  private def definition(w: SlidingWindows, ts: Long): Seq[BigInt] = {
    val advance = BigInt(w.advance)
    val last = BigInt(ts) - (BigInt(ts) % advance + advance) % advance
    Iterator.iterate(last)(_ - advance)
      .takeWhile(start => start + w.size > ts && start >= Long.MinValue).toVector.reverse
  }

  private def starts(w: SlidingWindows, ts: Long): Seq[BigInt] = {
    val n = w.count(ts)
    if (n == 0) Vector.empty
    else {
      val all = Vector.tabulate(n.toInt)(i => BigInt(w.first(ts) + i * w.advance))
      assert(all.last == w.last(ts))
      all
    }
  }

  test("a time lies in the windows that the definition says") {
    forAll(windows, times)((w, ts) => assert(starts(w, ts) == definition(w, ts)))
  }

  test("small windows around the ends of time and around zero") {
    for {
      size <- 1L to 7L
      advance <- 1L to 7L
      w = SlidingWindows(size, advance)
      near <- 0L to 20L
      ts <- Seq(Long.MinValue + near, Long.MaxValue - near, near, -near)
    } assert(starts(w, ts) == definition(w, ts), s"$w at $ts")
  }

  test("a window ends before its size is over, or with time") {
    forAll(windows, times) { (w, ts) =>
      whenever(w.count(ts) > 0) {
        val start = w.last(ts)
        assert(BigInt(w.end(start)) == (BigInt(start) + w.size - 1).min(Long.MaxValue))
      }
    }
  }

  test("panes do not straddle windows: two times of a pane lie in the same windows") {
    forAll(windows, times, Gen.choose(0L, 40L)) { (w, ts, step) =>
      val other = SaturatingMath.add(ts, step)
      if (w.paneOf(ts) == w.paneOf(other)) assert(starts(w, ts) == starts(w, other))
    }
  }

  test("a cursor finds the same windows, wherever it was before") {
    forAll(windows, Gen.listOf(times)) { (w, ts) =>
      val cursor = new WindowCursor(w)
      ts.foreach { t =>
        cursor.seek(t)
        assert(cursor.count == w.count(t))
        if (cursor.count > 0) assert(cursor.last == w.last(t) && cursor.first == w.first(t))
      }
    }
  }

  test("panes are as wide as they can be") {
    forAll(windows) { w =>
      assert(w.size % w.pane == 0 && w.advance % w.pane == 0)
      assert(w.pane == BigInt(w.size).gcd(w.advance).toLong)
      assert(w.panes == w.size / w.pane)
    }
  }

  test("a window is made of its panes") {
    forAll(windows, times) { (w, ts) =>
      whenever(w.count(ts) > 0) {
        val start = w.first(ts)
        val pane = w.paneOf(ts) - w.paneOf(start)
        assert(pane >= 0 && pane < w.panes)
      }
    }
  }

  test(
    "no size and no advance is refused, and so is a negative one, with what to write instead"
  ) {
    for (bad <- Seq(0L, -1L, Long.MinValue)) {
      val size = intercept[IllegalArgumentException](SlidingWindows(bad, 5))
      assert(size.getMessage.contains(s"size must be positive, not $bad"))
      val advance = intercept[IllegalArgumentException](SlidingWindows(7, bad))
      assert(advance.getMessage.contains(s"advance must be positive, not $bad"))
      assert(advance.getMessage.contains("its size, 7"))
    }
  }
}

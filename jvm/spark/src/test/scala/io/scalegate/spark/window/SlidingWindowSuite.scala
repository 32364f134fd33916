package io.scalegate.spark.window

import scala.util.{Random, Try}

import org.scalatest.funsuite.AnyFunSuite

import io.scalegate.spark.window.stream.StoredPanes

/** Panes and windows against windows that are counted one by one. */
final class SlidingWindowSuite extends AnyFunSuite {
  private val random = new Random(11)

  private def windows: Seq[SlidingWindow] =
    Seq.fill(300) {
      val size = 1 + random.nextInt(40)
      val slide = 1 + random.nextInt(size)
      SlidingWindow(size.toLong, slide.toLong, (random.nextInt(2 * slide - 1) - slide + 1).toLong)
    }

  /** The starts of the windows that hold a time, by definition. */
  private def holding(by: SlidingWindow, time: Long): Seq[Long] =
    (time - by.size + 1 to time).filter(s => Math.floorMod(s - by.offset, by.slide) == 0)

  test("times of one pane are in the same windows, and the first of them is the pane's first") {
    windows.foreach { by =>
      val times = -100L to 100L
      times.groupBy(by.pane).foreach { case (pane, together) =>
        val windows = together.map(holding(by, _)).distinct
        assert(windows.size == 1, s"$by: pane $pane holds $together")
        windows.head.headOption.foreach(first =>
          assert(by.first(pane) == first, s"$by: pane $pane")
        )
      }
    }
  }

  test("a pane begins no later than its times, and later panes have higher numbers") {
    windows.foreach { by =>
      val panes = (-100L to 100L).map(t => (t, by.pane(t)))
      assert(panes.forall { case (time, pane) => pane <= time && by.pane(pane) == pane })
      val numbers = panes.map(_._2).distinct.map(by.paneNumber)
      assert(numbers == numbers.distinct.sorted, by)
      assert(numbers.map(by.start) == panes.map(_._2).distinct, by)
    }
  }

  test("a slide has at most two panes, however little size and slide have in common") {
    windows.foreach { by =>
      val panes = (0L until 100L * by.slide).map(by.pane).distinct.size
      assert(panes <= 201, by)
    }
  }

  test(
    "panes of open windows, and those behind windows that are closed, are known by their numbers"
  ) {
    windows.foreach { by =>
      for (time <- -100L to 300L by 7) {
        val (open, behind) = (by.firstOpen(time), by.firstBehind(time))
        (-150L to 350L).map(by.pane).distinct.foreach { pane =>
          assert(by.paneNumber(pane) < open == by.endOf(by.last(pane)) <= time, (by, time, pane))
          assert(
            by.paneNumber(pane) < behind == by.endOf(by.first(pane)) <= time,
            (by, time, pane)
          )
        }
      }
      assert(by.firstOpen(Long.MinValue) == Long.MinValue)
      assert(by.firstBehind(Long.MinValue) == Long.MaxValue)
      assert(by.firstOpen(Long.MaxValue) > by.paneNumber(by.pane(Long.MaxValue / 2)), by)
    }
  }

  test("a window holds as many panes as it says, and rows of state grow with their square root") {
    windows.foreach { by =>
      val start = Math.floorMod(by.offset, by.slide)
      val panes = (start until start + by.size).map(by.pane).distinct.size
      assert(panes == by.panesPerWindow, by)
    }
    Seq(
      2L -> 64,
      16L -> 64,
      17L -> 8,
      32L -> 8,
      33L -> 16,
      60L -> 16,
      3600L -> 64,
      1000000L -> 64
    ).foreach {
      case (slides, together) =>
        assert(1 << StoredPanes.partBits(SlidingWindow(slides, 1, 0)) == together, slides)
    }
  }

  test(
    "times near the ends of the range are refused where one of their windows ends outside, and only there"
  ) {
    windows.foreach { by =>
      val low = (0L to 120L).map(Long.MinValue + _)
      val high = (0L to 120L).map(Long.MaxValue - _)
      (low ++ high).foreach { time =>
        val exact = BigInt(time)
        val start = exact - (exact - by.offset).mod(by.slide)
        val needed = Seq(
          exact - by.offset,
          start - (by.perRow - 1) * by.slide,
          start + by.size
        )
        assert(Try(by.pane(time)).isSuccess == needed.forall(_.isValidLong), s"$by: $time")
      }
    }
  }

  test("panes are found again without being reckoned again, wherever times go") {
    val far = Seq(Long.MaxValue, Long.MinValue, Long.MaxValue / 4, Long.MinValue / 4)
    val wide = Seq(
      SlidingWindow(Long.MaxValue / 2, Long.MaxValue / 3, Long.MaxValue / 5),
      SlidingWindow(10, 4, Long.MaxValue / 2),
      SlidingWindow(10, 4, Long.MinValue / 2)
    )
    (windows ++ wide).foreach { by =>
      val panes = new PaneCursor(by)
      var time = 0L
      (0 until 400).foreach { _ =>
        time = random.nextInt(20) match {
          case 0 => random.nextLong()
          case 1 => far(random.nextInt(far.size)) + random.nextInt(90) - 45
          case 2 => random.nextInt(200) - 100L
          case _ => time + random.nextInt(9) - 3
        }
        assert(Try(panes.pane(time)).toOption == Try(by.pane(time)).toOption, s"$by: $time")
      }
    }
  }

  test("windows near the end of the range are followed by one behind every pane") {
    val by = SlidingWindow(10, 4, 0)
    assert(by.next(Long.MaxValue - 3) == Long.MaxValue)
    assert(by.next(8) == 12)
  }

  test("widths are shown in the largest unit that fits") {
    assert(SlidingWindow(3600000000L, 90000000L, 0).toString == "1 hour every 90 seconds")
    assert(SlidingWindow(10000000L, 4000000L, 1500L).panes == "2 seconds and 2 seconds")
    assert(
      SlidingWindow(10000000L, 3000000L, 1500L).toString ==
        "10 seconds every 3 seconds from 1500 microseconds"
    )
    assert(SlidingWindow(10000000L, 3000000L, 0).panes == "1 second and 2 seconds")
  }
}

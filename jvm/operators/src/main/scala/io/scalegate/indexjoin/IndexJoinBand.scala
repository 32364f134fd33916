package io.scalegate.indexjoin

import java.util.SplittableRandom

import io.scalegate.column.ColumnarWindow

/** Chooses the band that a window's index lies on: the one that lets the fewest of the window's
  * rows through, as a running sample tells. Every so many probes a few rows of the window, drawn
  * at random, are tested against each band's range. One thread at a time.
  *
  * The lead changes only to a band that lets through less than half as much, beyond what chance
  * explains, and not before as many probes have gone by as the window has rows: an index that is
  * built anew is worth its cost, and two bands of one selectivity do not take turns.
  */
final private[scalegate] class IndexJoinBand(bands: Int, first: Int) {
  import IndexJoinBand._

  private[this] val random = new SplittableRandom(1)
  private[this] val passed = new Array[Long](bands)
  private[this] var tested = 0L
  private[this] var probes = 0L
  private[this] var since = 0L
  private[this] var lead = first

  /** The band that the index should lie on. */
  def best: Int = lead

  /** Learns from a probe with these ranges, and says whether [[best]] has changed. */
  def changes(window: ColumnarWindow, reach: Int, ranges: Array[Long]): Boolean = {
    probes += 1
    since += 1
    probes % Every == 0 && {
      sample(window, reach, ranges)
      since > window.size && choose()
    }
  }

  private[this] def sample(window: ColumnarWindow, reach: Int, ranges: Array[Long]): Unit = {
    var n = 0
    while (n < Rows) {
      val at = window.slot(random.nextInt(reach))
      var i = 0
      while (i < bands) {
        val v = IndexJoinWindow.value(window, at, i)
        if (ranges(2 * i) <= v && v <= ranges(2 * i + 1)) passed(i) += 1
        i += 1
      }
      n += 1
    }
    tested += Rows
    if (tested >= Memory) forgetHalf()
  }

  private[this] def choose(): Boolean = {
    var least = lead
    var i = 0
    while (i < bands) {
      if (passed(i) < passed(least)) least = i
      i += 1
    }
    val isBetter = 2 * passed(least) + Evidence < passed(lead)
    if (isBetter) {
      lead = least
      since = 0
    }
    isBetter
  }

  private[this] def forgetHalf(): Unit = {
    tested /= 2
    var i = 0
    while (i < bands) {
      passed(i) /= 2
      i += 1
    }
  }
}

private[scalegate] object IndexJoinBand {
  val Every = 128
  val Rows = 8

  /** Rows that the lead must have let through beyond twice the other's. */
  val Evidence = 16

  /** Rows after which old samples count half. */
  val Memory: Long = 1L << 17
}

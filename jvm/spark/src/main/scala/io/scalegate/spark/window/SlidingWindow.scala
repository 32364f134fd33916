package io.scalegate.spark.window

import io.scalegate.spark.settings.Errors

/** The windows of `window(time, size, slide, offset)` and the panes they are cut into, after Krishnamurthy, Wu and
  * Franklin's paired windows: time is cut wherever a window begins or ends, which is at most twice a slide, however
  * little size and slide have in common. A pane lies wholly within a window or wholly outside of it.
  *
  * All numbers are microseconds, those of a TIMESTAMP or a TIMESTAMP_NTZ; a window or a pane is named by its start.
  *
  * @param size
  *   at least 1
  * @param slide
  *   at least 1, at most `size`
  * @param offset
  *   windows begin at `offset + n * slide`
  */
final case class SlidingWindow(size: Long, slide: Long, offset: Long) {
  import SlidingWindow.Far

  /** Where in a slide windows end; 0 where they end as others begin. */
  private[this] val end = size % slide

  private[this] val phase = Math.floorMod(offset, slide)

  /** The two residues, modulo slide, that panes begin at; both are one where windows end as others begin. */
  private[this] val (earlier, later) = {
    val other = if (end < slide - phase) phase + end else phase - (slide - end)
    (math.min(phase, other), math.max(phase, other))
  }

  /** Windows that hold a time, or one more where a window ends within a slide. */
  val perRow: Long = (size - 1) / slide + 1

  /** Panes that a window holds. */
  def panesPerWindow: Long = if (end == 0) perRow else 2 * perRow - 1

  /** How far into a slide a time is. */
  private[this] def into(time: Long): Long =
    Math.floorMod(Math.floorMod(time, slide) - phase, slide)

  /** The pane that holds a time. A time one of whose windows does not fit in 64 bits is refused: one for which Spark
    * raises an error in ANSI mode.
    */
  def pane(time: Long): Long = {
    val after = into(time)
    val start = time - after
    try {
      Math.subtractExact(time, offset)
      Math.subtractExact(start, (perRow - 1) * slide)
      Math.addExact(start, size)
    } catch {
      case _: ArithmeticException => throw Errors.windowOutOfRange(time, toString)
    }
    if (after >= end) start + end else start
  }

  /** Where a pane ends; its start where one of its later times may be refused. */
  def paneEnd(pane: Long): Long =
    if (pane < -Far || pane > Far || offset < -Far || offset > Far || slide > Far) pane
    else if (end == 0) pane + slide
    else if (into(pane) < end) pane + end
    else pane + (slide - end)

  /** A pane's running number, which ascends as panes do. */
  def paneNumber(pane: Long): Long = {
    val slides = Math.floorDiv(pane, slide)
    val after = Math.floorMod(pane, slide)
    if (end == 0) slides else 2 * slides + (if (after >= later) 1 else 0)
  }

  /** The pane of a number. */
  def start(paneNumber: Long): Long =
    if (end == 0) paneNumber * slide + phase
    else (paneNumber >> 1) * slide + (if ((paneNumber & 1) == 0) earlier else later)

  /** The first of the windows that hold a pane. */
  def first(pane: Long): Long = {
    val after = into(pane)
    pane - after - (size - after - 1) / slide * slide
  }

  /** The last of them. */
  def last(pane: Long): Long = pane - into(pane)

  /** The number of the first pane that a window which ends behind a time holds; below all numbers where it is not
    * reckoned in 64 bits.
    */
  def firstOpen(time: Long): Long =
    if (time < -Far || size > Far) Long.MinValue else paneNumber(next(last(time - size)))

  /** The number of the first pane that no window which ends by a time holds; above all numbers where it is not reckoned
    * in 64 bits.
    */
  def firstBehind(time: Long): Long =
    if (time < -Far || size > Far) Long.MaxValue else paneNumber(last(time - size) + size)

  /** When the window that begins at `start` ends. */
  def endOf(start: Long): Long =
    if (start > Long.MaxValue - size) Long.MaxValue else start + size

  /** The window after the one that begins at `start`; the last one of the range is its own. */
  def next(start: Long): Long =
    if (start > Long.MaxValue - slide) Long.MaxValue else start + slide

  override def toString: String =
    s"${SlidingWindow.text(size)} every ${SlidingWindow.text(slide)}" +
      (if (offset == 0) "" else s" from ${SlidingWindow.text(offset)}")

  /** The panes' widths, as EXPLAIN shows them. */
  def panes: String =
    if (end == 0) SlidingWindow.text(slide)
    else s"${SlidingWindow.text(end)} and ${SlidingWindow.text(slide - end)}"
}

object SlidingWindow {

  /** Three of these can be added up, or taken from each other, in 64 bits. */
  private val Far = Long.MaxValue / 4

  private val Units = Seq(
    86400000000L -> "day",
    3600000000L -> "hour",
    60000000L -> "minute",
    1000000L -> "second",
    1000L -> "millisecond",
    1L -> "microsecond"
  )

  /** In the largest unit that it is a whole number of. */
  private def text(micros: Long): String = {
    val (unit, name) = Units.find(u => micros % u._1 == 0).getOrElse(Units.last)
    val count = micros / unit
    s"$count $name${if (count == 1) "" else "s"}"
  }
}

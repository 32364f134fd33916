package io.scalegate.spark.join.stream.state

import io.scalegate.band.{AttributeType, Band, IntegralBand}
import io.scalegate.stream.{SaturatingMath, Side, Sides}

/** By what a row of a streaming join expires: the positions along the window that slides, of rows and of the watermark.
  */
sealed trait StreamWindow extends Serializable {

  /** Which of the bounded attributes a row's position is: its event time as it comes, and what the window counts by
    * when it is joined.
    */
  def key: Int

  /** The bands between a probe row of the other side and those of this side that it may find. */
  def bands(side: Side, all: IndexedSeq[Band]): IndexedSeq[Band]

  /** The greatest position of a row of this side that matches no row that is yet to be joined.
    *
    * @param watermark
    *   rows above it are yet to be joined, in microseconds
    * @param joined
    *   rows of this side that have been
    */
  def expired(side: Side, watermark: Long, joined: Long): Long

  /** Where rows are joined in order: the greatest position of a row of the other side that comes before the row of
    * this side that probes from there.
    */
  def latestBefore(side: Side, from: Long): Long

  /** The least event time, in microseconds, that a joined row may have once the watermark is there. */
  def leastOutput(watermark: Long): Long
}

/** A bound between the event times of both sides, in microseconds.
  *
  * @param lower
  *   the right row's time is at least the left one's and this; `upper` likewise
  */
final case class EventTimeWindow(key: Int, lower: Long, upper: Long) extends StreamWindow {
  def bands(side: Side, all: IndexedSeq[Band]): IndexedSeq[Band] = all

  def expired(side: Side, watermark: Long, joined: Long): Long =
    if (side eq Side.R) SaturatingMath.subtract(watermark, upper)
    else SaturatingMath.add(watermark, lower)

  /** A left row comes before the right ones of its time. */
  def latestBefore(side: Side, from: Long): Long = if (side eq Side.R) from - 1 else from

  def leastOutput(watermark: Long): Long =
    Seq(Side.R, Side.S).map(expired(_, watermark, 0)).min

  /** The greatest time of a row that one of this side and time may match, or its own. */
  def closes(side: Side, time: Long): Long =
    math.max(
      time,
      if (side eq Side.R) SaturatingMath.add(time, upper)
      else SaturatingMath.subtract(time, lower)
    )
}

object StreamWindow {

  /** Of a time that nothing bounds. */
  val AnyTime: Band = IntegralBand(AttributeType.Int64, Long.MinValue, Long.MaxValue)
}

object EventTimeWindow {

  /** Of one attribute, the event time, which nothing bounds. */
  val Unbounded: EventTimeWindow = EventTimeWindow(0, Long.MinValue, Long.MaxValue)
}

/** An interval of event times for each row, from its own to one that is a column: a row matches those of the other side
  * that come before its interval ends, and in whose intervals it comes. Rows are held, and in order, by the ends of their
  * intervals. Two attributes that follow one another are a row's: as it is held, the end of its interval, with which the
  * rows of the other side compare their times, and then its time; as it probes, the two change places.
  *
  * @param key
  *   the first of the two
  * @param leftReach
  *   by how much a right row may come after the end of the left one's interval, in microseconds
  * @param rightReach
  *   by how much a left row may come after the end of the right one's
  */
final case class IntervalWindow(key: Int, leftReach: Long, rightReach: Long)
    extends StreamWindow {
  def bands(side: Side, all: IndexedSeq[Band]): IndexedSeq[Band] = {
    val ofRight = IntegralBand(AttributeType.Int64, Long.MinValue, leftReach)
    val ofLeft =
      IntegralBand(AttributeType.Int64, SaturatingMath.subtract(0, rightReach), Long.MaxValue)
    val (first, second) = if (side eq Side.R) (ofRight, ofLeft) else (ofLeft, ofRight)
    all.updated(key, first).updated(key + 1, second)
  }

  def expired(side: Side, watermark: Long, joined: Long): Long =
    SaturatingMath.subtract(watermark, if (side eq Side.R) leftReach else rightReach)

  /** Its rows are joined in no order. */
  def latestBefore(side: Side, from: Long): Long = Long.MaxValue

  /** An interval may be of any length. */
  def leastOutput(watermark: Long): Long = Long.MinValue
}

/** The last rows of each side in the order of their times. A row's position is its ordinal among its side's, from 1;
  * when it probes, how many rows of the other side came before it.
  */
final case class RowCountWindow(key: Int, rows: Sides[Long]) extends StreamWindow {
  def bands(side: Side, all: IndexedSeq[Band]): IndexedSeq[Band] = all.updated(
    key,
    if (rows(side) == 0) RowCountWindow.Never
    else if (side eq Side.R) IntegralBand(AttributeType.Int64, 0, rows(side) - 1)
    else IntegralBand(AttributeType.Int64, 1 - rows(side), 0)
  )

  def expired(side: Side, watermark: Long, joined: Long): Long = joined - rows(side)

  def latestBefore(side: Side, from: Long): Long = from

  /** The earlier row of a pair may have any time. */
  def leastOutput(watermark: Long): Long = Long.MinValue
}

object RowCountWindow {

  /** Positions are never so far apart. */
  private val Never = IntegralBand(AttributeType.Int64, Long.MaxValue, Long.MaxValue)
}

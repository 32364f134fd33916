package io.scalegate.indexjoin

import io.scalegate.band.Band
import io.scalegate.index.{PositionBuffer, RangeQuery, SlidingIndex, ZOrderCover}

/** The index lies on two bands: a row's key is the place on a Z-order curve of the cell that its two attributes
  * are in, and a tuple's ranges are a rectangle of cells, which a few ranges of keys cover. The PIM-Tree paper
  * names an index of more than one dimension as its future work; with such keys every index of one dimension
  * is one of two, with its merges, partitions and threads as they are.
  *
  * It pays where one band alone lets much through: an index of one dimension tests all of that.
  */
final private[indexjoin] class KeysOfTwoBands(x: Band, y: Band) extends IndexKeys {
  private[this] val cellsOfX = new BandCells(x, KeysOfTwoBands.Bits)
  private[this] val cellsOfY = new BandCells(y, KeysOfTwoBands.Bits)
  private[this] val carried = new CarriedBand(y)
  private[this] val across = new CellNumbers(cellsOfX)
  private[this] val upward = new CellNumbers(cellsOfY)
  private[this] val cover = new ZOrderCover
  private[this] val query = new RangeQuery

  /** A running mean of the rows that searches found in a cell. */
  private[this] var density = 1.0

  def exact: Int = -1

  def key(attrs: Array[Long]): Long =
    ZOrderCover.key(
      cellsOfX.number(cellsOfX.of(attrs(0))),
      cellsOfY.number(cellsOfY.of(attrs(1)))
    )

  def value(attrs: Array[Long]): Int = carried.value(attrs(1))

  def search(
      index: SlidingIndex,
      ranges: Array[Long],
      first: Long,
      last: Long,
      out: PositionBuffer
  ): Unit =
    if (ranges(0) <= ranges(1) && ranges(2) <= ranges(3)) {
      across.set(ranges(0), ranges(1))
      upward.set(ranges(2), ranges(3))
      fill()
      query.positions(first, last)
      carried.restrict(query, ranges(2), ranges(3))
      val before = out.tested
      var i = 0
      while (i < cover.size) {
        index.search(query.keys(cover.lo(i), cover.hi(i)), out)
        i += 1
      }
      density += (math.max((out.tested - before).toDouble, 0.1) / cover.points - density) / 16
    }

  private[this] def fill(): Unit = {
    cover.clear()
    var i = 0
    while (i < across.size) {
      var j = 0
      while (j < upward.size) {
        cover.add(across.lo(i), across.hi(i), upward.lo(j), upward.hi(j))
        j += 1
      }
      i += 1
    }
    cover.cut(density)
  }
}

private object KeysOfTwoBands {

  /** A band is as wide as eight cells or more. */
  val Bits = 4
}

/** The numbers of the cells that a range of an attribute's values lies in, and all numbers where these are half of
  * them: one range of numbers, or two where they run over the highest, one in each half. One thread.
  */
final private class CellNumbers(cells: BandCells) {
  private[this] val least = new Array[Long](2)
  private[this] val greatest = new Array[Long](2)
  private[this] var count = 0

  def size: Int = count
  def lo(i: Int): Long = least(i)
  def hi(i: Int): Long = greatest(i)

  def set(from: Long, to: Long): Unit = {
    val (first, last) = (cells.of(from), cells.of(to))
    count = 0
    if (cells.areMany(first, last)) add(0, ZOrderCover.Greatest)
    else {
      val (lo, hi) = (cells.number(first), cells.number(last))
      if (lo <= hi) add(lo, hi)
      else {
        add(0, hi)
        add(lo, ZOrderCover.Greatest)
      }
    }
  }

  private[this] def add(lo: Long, hi: Long): Unit = {
    least(count) = lo
    greatest(count) = hi
    count += 1
  }
}

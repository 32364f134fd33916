package io.scalegate.partition

import java.util.Arrays
import java.util.function.LongSupplier

import io.scalegate.band.{Band, CellBuffer, Grid}
import io.scalegate.stream.Side

/** Cuts the rows of the keys that are too frequent for one task into slices, so that several tasks share
  * the work of a key; a key's other name is its cell, and each slice of a hot key is a cell of its own. A row of
  * one side lies in one cell, a row of the other in every cell where a row that it matches may lie, so each matching
  * pair meets in exactly one cell, as in a `Grid`. Two keys may meet in a cell: keys are to be compared there.
  *
  * Which keys are hot, and how many slices each has, is what Algorithm 1 of the PPOIJ paper decides
  * ([[io.scalegate.partition.KeySplit]]). The paper's replicas each see all probe tuples of a key; rows at
  * rest can be cut along the attribute that is bounded too, and then only those near a cut are copied.
  *
  * @param hot
  *   each key once
  * @param single
  *   the side whose rows lie in one cell each
  * @param cuts
  *   the attribute to cut along; if none, a row of `single` goes to a slice by its hash, and one of the other side to
  *   all
  */
final class KeySlices(
    hot: Iterable[HotKey],
    val single: Side,
    cuts: Option[KeySlices.Cuts]
) extends Serializable {
  private[this] val byKey = hot.toArray.sortBy(_.key)
  private[this] val keys = byKey.map(_.key)
  private[this] val grid = cuts.map(c => Grid(Vector(c.band), single, c.stripesPerBand)).orNull

  require(keys.distinct.length == keys.length, "a hot key can be cut in one way only")

  /** The cells of a row, in `into`.
    *
    * @param position
    *   its attribute that is cut along, as a sortable integer
    * @param hash
    *   of the row, the same each time that it is asked for
    */
  def cells(
      side: Side,
      key: Long,
      position: Long,
      hash: LongSupplier,
      into: CellBuffer
  ): Unit = {
    into.clear()
    val at = Arrays.binarySearch(keys, key)
    if (at < 0) into.add(key)
    else if (side eq single) into.add(own(byKey(at).cells, position, hash))
    else reached(byKey(at).cells, position, into)
  }

  private[this] def own(cells: Array[Long], position: Long, hash: LongSupplier): Long = {
    val slice = if (grid == null) hash.getAsLong else grid.stripe(0, position)
    cells(Math.floorMod(slice, cells.length))
  }

  private[this] def reached(cells: Array[Long], position: Long, into: CellBuffer): Unit =
    if (grid == null) cells.foreach(into.add)
    else {
      val last = grid.lastStripe(0, position)
      var at = grid.firstStripe(0, position)
      if (last - at >= cells.length) cells.foreach(into.add)
      else
        while (at <= last) {
          into.add(cells(Math.floorMod(at, cells.length)))
          at += 1
        }
    }
}

object KeySlices {

  /** Cuts along an attribute, into stripes `stripesPerBand` times as wide as its band. */
  final case class Cuts(band: Band, stripesPerBand: Int)

  /** The widest stripes of which there are enough for so many slices, each with at least
    * `StripesPerSlice` of them, in a range of the attribute; None when there are not.
    *
    * @param least
    *   the range's smallest sortable integer
    */
  def cuts(band: Band, least: Long, greatest: Long, slices: Int): Option[Cuts] =
    Widths.map(Cuts(band, _)).find { c =>
      val grid = Grid(Vector(c.band), stripesPerBand = c.stripesPerBand)
      val stripes = grid.stripe(0, greatest).toDouble - grid.stripe(0, least).toDouble
      stripes >= slices.toDouble * StripesPerSlice
    }

  /** With fewer the first and the last, which are not full, would weigh too much. */
  private[this] val StripesPerSlice = 4

  /** In bands. A row has a copy more for each band of a stripe's width. */
  private[this] val Widths = Seq(8, 4, 2, 1)
}

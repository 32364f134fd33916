package io.scalegate.spark.exec

import java.util.function.LongSupplier

import io.scalegate.join.{AttributeType, CellBuffer, Grid, KeySlices}
import io.scalegate.stream.Side

/** Which cells a row of a join goes to: each pair of rows that match must meet in exactly one. */
sealed trait SliceBy extends Serializable {

  /** The types of the attributes that decide it. */
  def types: IndexedSeq[AttributeType]

  /** Whether a row of this side may go to several cells. */
  def isCopied(side: Side): Boolean

  /** The distinct cells of a row, in `into`.
    *
    * @param keys
    *   its attributes, as sortable integers
    * @param hash
    *   of the row, the same each time that it is read
    */
  def cells(side: Side, keys: Array[Long], hash: LongSupplier, into: CellBuffer): Unit
}

object SliceBy {

  /** The cells of a grid over attributes that are bounded. */
  final case class Cells(grid: Grid) extends SliceBy {
    def types: IndexedSeq[AttributeType] = grid.bands.map(_.attribute)

    def isCopied(side: Side): Boolean = side ne grid.single

    def cells(side: Side, keys: Array[Long], hash: LongSupplier, into: CellBuffer): Unit =
      if (side eq grid.single) grid.cell(keys, into) else grid.cells(keys, into)
  }

  /** Two attributes: a key, whose cell it names unless it is too frequent for one, and what is bounded. */
  final case class Keys(slices: KeySlices, types: IndexedSeq[AttributeType]) extends SliceBy {
    def isCopied(side: Side): Boolean = side ne slices.single

    def cells(side: Side, keys: Array[Long], hash: LongSupplier, into: CellBuffer): Unit =
      slices.cells(side, keys(0), keys(1), hash, into)
  }
}

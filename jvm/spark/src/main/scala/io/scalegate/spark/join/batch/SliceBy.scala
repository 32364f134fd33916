package io.scalegate.spark.join.batch

import java.util.Arrays
import java.util.function.LongSupplier

import io.scalegate.band.{AttributeType, CellBuffer, Grid}
import io.scalegate.partition.{KeySlices, MatrixCells, MatrixLayout}
import io.scalegate.spark.rows.PartitionIds
import io.scalegate.stream.{Side, Sides}

/** Which cells a row of a join goes to: each pair of rows that match must meet in exactly one. The layout of the cells
  * is made on the driver and travels to the tasks; nothing of it changes.
  */
sealed trait SliceBy extends Serializable {

  /** The types of the attributes that decide it. */
  def types: IndexedSeq[AttributeType]

  /** Whether a row of this side may go to several cells. */
  def isCopied(side: Side): Boolean

  /** Whether the rows of a partition are counted, in an order that is the same each time that they are read: then
    * those that are equal need not lie together.
    */
  def isDealt: Boolean = false

  /** The distinct cells of a row, in `into`.
    *
    * @param keys
    *   its attributes, as sortable integers
    * @param number
    *   of the row, the same each time that it is read: its ordinal where rows are dealt, elsewhere its hash
    */
  def cells(side: Side, keys: Array[Long], number: LongSupplier, into: CellBuffer): Unit

  /** Whether, of a row's cells, this one that it lies in is the first.
    *
    * @param buffer
    *   to be used for it
    */
  def isFirst(
      side: Side,
      keys: Array[Long],
      number: LongSupplier,
      cell: Long,
      buffer: CellBuffer
  ): Boolean = {
    cells(side, keys, number, buffer)
    buffer(0) == cell
  }
}

object SliceBy {

  /** The cells of a grid over attributes that are bounded. */
  final case class Cells(grid: Grid) extends SliceBy {
    def types: IndexedSeq[AttributeType] = grid.bands.map(_.attribute)

    def isCopied(side: Side): Boolean = side ne grid.single

    def cells(side: Side, keys: Array[Long], number: LongSupplier, into: CellBuffer): Unit =
      if (side eq grid.single) grid.cell(keys, into) else grid.cells(keys, into)
  }

  /** Two attributes: a key, whose cell it names unless it is too frequent for one, and what is bounded. */
  final case class Keys(slices: KeySlices, types: IndexedSeq[AttributeType]) extends SliceBy {
    def isCopied(side: Side): Boolean = side ne slices.single

    def cells(side: Side, keys: Array[Long], number: LongSupplier, into: CellBuffer): Unit =
      slices.cells(side, keys(0), keys(1), number, into)
  }

  /** The parts of a line, of which a row lies in all that its interval reaches: two attributes, where it starts and where
    * it ends. One that ends before it starts is where it starts.
    *
    * @param cuts
    *   the least point of each part but the first, rising
    * @param ids
    *   of the parts' cells
    * @param points
    *   the sides whose rows' intervals are points
    */
  final case class Domain(
      types: IndexedSeq[AttributeType],
      cuts: Vector[Long],
      ids: Vector[Long],
      points: Sides[Boolean]
  ) extends SliceBy {
    @transient private[this] lazy val starts = cuts.toArray
    @transient private[this] lazy val cellIds = ids.toArray

    def isCopied(side: Side): Boolean = !points(side)

    def cells(side: Side, keys: Array[Long], number: LongSupplier, into: CellBuffer): Unit = {
      into.clear()
      var part = partOf(keys(0))
      val last = lastPart(keys(0), keys(1))
      while (part <= last) {
        into.add(cellIds(part))
        part += 1
      }
    }

    def cellOf(point: Long): Long = cellIds(partOf(point))

    /** The last part that an interval reaches. */
    private[join] def lastPart(start: Long, end: Long): Int = partOf(math.max(start, end))

    private[join] def partOf(point: Long): Int = {
      val at = Arrays.binarySearch(starts, point)
      if (at >= 0) at + 1 else -at - 1
    }
  }

  /** A matrix of cells, for which the rows' content means nothing: they are dealt. */
  final case class Matrix(matrix: MatrixCells) extends SliceBy {
    def types: IndexedSeq[AttributeType] = Vector.empty

    def isCopied(side: Side): Boolean = matrix.copies(side) > 1

    override def isDealt: Boolean = true

    def cells(side: Side, keys: Array[Long], number: LongSupplier, into: CellBuffer): Unit =
      matrix.cells(side, number.getAsLong, into)

    /** The number that the row was dealt by is not known any more. */
    override def isFirst(
        side: Side,
        keys: Array[Long],
        number: LongSupplier,
        cell: Long,
        buffer: CellBuffer
    ): Boolean = matrix.isFirst(side, cell)
  }

  object Matrix {

    /** With ids that an exchange over as many partitions as cells takes to one each. */
    def from(layout: MatrixLayout): Matrix = {
      val ids = new PartitionIds(layout.workers)
      Matrix(MatrixCells(layout, Vector.tabulate(layout.workers)(ids.next)))
    }
  }
}

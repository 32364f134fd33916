package io.scalegate.partition

import io.scalegate.band.CellBuffer
import io.scalegate.stream.Side

/** Where the rows of two inputs at rest meet, as the segments of two windows do in a `MatrixJoin` (DP-Join
  * §III-C): a row of R belongs to one row of the matrix and is copied to all of its cells, a row of S to one
  * column. So each pair of rows meets in exactly one cell, whatever they hold.
  *
  * @param ids
  *   of the cells, all different: the first row of the matrix from left to right, then the next
  */
final case class MatrixCells(layout: MatrixLayout, ids: IndexedSeq[Long]) {
  require(
    ids.length == layout.workers && ids.distinct.length == ids.length,
    s"a matrix of $layout cells needs ${layout.workers} different ids, not ${ids.mkString(", ")}"
  )

  /** In how many cells a row of this side lies. */
  def copies(side: Side): Int = if (side eq Side.R) layout.columns else layout.rows

  /** Whether this cell is the first of those of a row of this side that lies in it. */
  def isFirst(side: Side, cell: Long): Boolean = {
    val at = ids.indexOf(cell)
    if (side eq Side.R) at % layout.columns == 0 else at < layout.columns
  }

  /** The cells of a row, in `into`.
    *
    * @param number
    *   of the row; rows with consecutive numbers go to each row, or column, of the matrix in turn
    */
  def cells(side: Side, number: Long, into: CellBuffer): Unit = {
    into.clear()
    if (side eq Side.R) {
      val row = Math.floorMod(number, layout.rows)
      var column = 0
      while (column < layout.columns) {
        into.add(ids(row * layout.columns + column))
        column += 1
      }
    } else {
      val column = Math.floorMod(number, layout.columns)
      var row = 0
      while (row < layout.rows) {
        into.add(ids(row * layout.columns + column))
        row += 1
      }
    }
  }
}

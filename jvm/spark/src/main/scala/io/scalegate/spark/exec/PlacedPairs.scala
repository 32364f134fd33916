package io.scalegate.spark.exec

import org.apache.spark.sql.catalyst.expressions.{JoinedRow, UnsafeRow}

/** A task's joined pairs of rows, each told by where its two rows lie, one side's being a row of NULLs where it
  * matches nothing. Of a join that gives the rows of one side only, the other is not to be asked for. One thread.
  */
abstract class PlacedPairs extends Iterator[JoinedRow] {
  private[this] val pair = new JoinedRow
  private[this] var ready = false

  /** Moves to the next pair, if there is one. */
  def advance(): Boolean

  /** In what the left row lies; like all below valid until the next. */
  def leftBase: AnyRef

  /** Where in it. */
  def leftOffset: Long

  def left: UnsafeRow

  def rightBase: AnyRef

  def rightOffset: Long

  def right: UnsafeRow

  /** The pair that [[next]] gives is valid until the next call of this. */
  final def hasNext: Boolean = {
    ready = ready || advance()
    ready
  }

  final def next(): JoinedRow = {
    if (!hasNext) throw new NoSuchElementException("the join has no more rows")
    ready = false
    pair(left, right)
  }
}

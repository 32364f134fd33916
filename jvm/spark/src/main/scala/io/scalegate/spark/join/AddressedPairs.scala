package io.scalegate.spark.join

import org.apache.spark.sql.catalyst.expressions.{JoinedRow, UnsafeRow}

/** A task's joined pairs of rows, told by the addresses of their two rows. A side that has no match is a row of NULLs.
  *
  * A pair's row that lies where the same side's row of the pair before lies is the same row: who copies it need not do so
  * again. One thread. It holds the current pair alone. Where a join gives the rows of one side only, the address of the other
  * side is not to be asked for.
  */
abstract class AddressedPairs(val leftAddress: RowAddress, val rightAddress: RowAddress)
    extends Iterator[JoinedRow] {
  private[this] val pair = new JoinedRow
  private[this] var ready = false

  /** Moves to the next pair, if there is one. */
  def advance(): Boolean

  /** In what the left row lies; like all below valid until the next. */
  final def leftBase: AnyRef = leftAddress.base

  /** Where in it. */
  final def leftOffset: Long = leftAddress.offset

  final def left: UnsafeRow = leftAddress.row

  final def rightBase: AnyRef = rightAddress.base

  final def rightOffset: Long = rightAddress.offset

  final def right: UnsafeRow = rightAddress.row

  /** The pair that [[next]] gives is valid until the next call of this. */
  final def hasNext: Boolean = {
    ready = ready || advance()
    ready
  }

  final def next(): JoinedRow = {
    take()
    pair(left, right)
  }

  /** Takes the next pair, as [[next]] does, and makes nothing of it. */
  final def take(): Unit = {
    if (!hasNext) throw new NoSuchElementException("the join has no more rows")
    ready = false
  }
}

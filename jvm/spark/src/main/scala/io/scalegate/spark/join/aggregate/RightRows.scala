package io.scalegate.spark.join.aggregate

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/** The right rows of one key in the order of their times, of which one is the current. */
private[spark] trait RightRows {

  /** Whether there is a current row. */
  def isPresent: Boolean

  /** The current row's time. */
  def time: Long

  /** The current row, valid until the next is asked for. */
  def row: UnsafeRow

  /** Goes on to the next row. */
  def advance(): Unit
}

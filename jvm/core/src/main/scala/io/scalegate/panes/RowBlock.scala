package io.scalegate.panes

/** Some neighbouring rows of a window, in the order in which they came. One thread. */
private[scalegate] trait RowBlock[R] {

  /** Keeps a copy of the row, which comes behind all others. */
  def add(row: R): Unit

  /** All rows, each valid until the next is asked for; none is added from then on. */
  def rows: Iterator[R]

  /** Lets go of the rows. */
  def release(): Unit
}

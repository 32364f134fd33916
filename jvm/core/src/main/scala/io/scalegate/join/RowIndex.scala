package io.scalegate.join

/** The rows of one side of a join, standing still, found by what a row of the other side asks of them. Built
  * once; then any number of threads read it, each through a lookup of its own. It must be published to them
  * safely.
  */
trait RowIndex {
  def rows: Int

  /** The row of a number from 0 to [[rows]]. */
  def row(number: Int): AnyRef

  /** A lookup for one thread. */
  def lookup(): RowLookup
}

/** Looks rows up in a [[RowIndex]], one probe at a time. One thread. */
trait RowLookup {

  /** Begins the search for the rows that a row of the opposite side with these attributes may match. The array
    * may be used again afterwards.
    */
  def start(keys: Array[Long]): Unit

  /** The next row found, each once, in no promised order; null when there is none. */
  def next(): AnyRef

  /** The number of the row that [[next]] gave last. */
  def number: Int

  /** Rows that were tested against a probe so far. */
  def comparisons: Long

  /** What is looked up. */
  def index: RowIndex
}

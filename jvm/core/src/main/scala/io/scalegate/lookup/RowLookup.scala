package io.scalegate.lookup

/** Looks rows up in a [[RowIndex]], one probe at a time. One thread. */
trait RowLookup {

  /** Begins the search for the rows that a row of the opposite side with these attributes may match. The array
    * may be used again afterwards.
    */
  def start(keys: Array[Long]): Unit

  /** The number of the next row found, each once, in no promised order; negative when there is none. */
  def next(): Int

  /** Rows that were tested against a probe so far. */
  def comparisons: Long
}

package io.scalegate.join

/** The rows of one side of a join, standing still, found by what a row of the other side asks of them. The index
  * knows rows by number, and whoever built it has the rows. Built once; then any number of threads read it, each through
  * a lookup of its own. It must be published to them safely.
  */
trait RowIndex {

  /** Of each row that the index numbers its number among those that it was built of. Rows that a lookup finds
    * have neighbouring numbers: copies that lie in this order are read from memory in its order.
    */
  def order: Array[Int]

  def rows: Int = order.length

  /** A lookup for one thread. */
  def lookup(): RowLookup
}

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

package io.scalegate.lookup

/** The rows of one side of a join, standing still, found by what a row of the other side asks of them. The index knows
  * rows by number, and whoever built it has the rows. Built once; then any number of threads read it, each through a
  * lookup of its own. It must be published to them safely.
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

package io.scalegate.spark.join.batch

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.scalegate.SpillableRows

import io.scalegate.spark.join.{BlockJoinIterator, PairTest}
import io.scalegate.spark.rows.RowStore

/** Compares each of the kept rows with the whole block. One thread, the task's. A block has at most 4096 rows, and ends
  * with the row that makes it a mebibyte.
  */
final class BlockLoopIterator(
    pairs: PairTest,
    probes: Iterator[UnsafeRow],
    kept: SpillableRows
) extends BlockJoinIterator(pairs) {
  import BlockLoopIterator._

  private[this] val all = kept.size.toLong
  private[this] val block = new Array[UnsafeRow](MostRows)
  private[this] var rows = 0 // of the block
  private[this] var at = 0 // the next of them to be compared with the kept row

  def counts: Seq[Long] = Seq(tested, all, all, 1L)

  def close(): Unit = kept.clear()

  protected def blockRows: Int = rows

  protected def blockRow(number: Int): UnsafeRow = block(number)

  protected def unmatchable: Iterator[UnsafeRow] = Iterator.empty

  protected def keptRows: Iterator[UnsafeRow] = kept.iterator

  protected def search(keptRow: UnsafeRow): Unit = at = 0

  protected def nextCandidate(): Int =
    if (at < rows) {
      at += 1
      at - 1
    } else -1

  protected def fillBlock(): Boolean = {
    val more = probes.hasNext
    if (more) {
      val store = new RowStore(pairs.probed)
      var bytes = 0L
      rows = 0
      while (rows < MostRows && bytes < MostBytes && probes.hasNext) {
        val row = probes.next()
        block(rows) = store.copy(row)
        bytes += row.getSizeInBytes
        rows += 1
      }
      at = rows
    }
    more
  }
}

private object BlockLoopIterator {

  /** Of this size a block stays in a core's cache, beside the row that it is compared with, and the kept rows are not
    * read too often.
    */
  private val MostBytes = 1L << 20

  private val MostRows = 4096
}

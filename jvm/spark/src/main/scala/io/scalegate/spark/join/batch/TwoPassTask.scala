package io.scalegate.spark.join.batch

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, GenericInternalRow, UnsafeRow}
import org.apache.spark.sql.scalegate.SpillableRows

import io.scalegate.spark.join.{JoinedPairs, PartitionsJoinTask, Probing}
import io.scalegate.spark.rows.UnsafeRows
import io.scalegate.stream.{Side, Sides}

/** A full join of two partitions whose rows a task cannot hold, as it travels to the executors. Both partitions are
  * kept on disk and read twice: for the pairs and the left rows, then for the unmatched right rows.
  *
  * @param pass
  *   joins partitions that come in any order
  */
final class TwoPassTask(pass: Probing => PartitionsJoinTask, columns: Sides[Seq[Attribute]])
    extends PartitionsJoinTask {
  private[this] val pairs = pass(Probing(Side.R, pairs = true, unmatched = true))
  private[this] val unmatched = pass(Probing(Side.S, pairs = false, unmatched = true))

  def join(l: Iterator[InternalRow], r: Iterator[InternalRow]): JoinedPairs = {
    val rows = Sides(l, r).zip(columns).map { case (input, output) =>
      SpillableRows.copyOf(UnsafeRows(input, output), output.length)
    }
    new TwoPassIterator(
      pairs.join(rows.left.iterator, rows.right.iterator),
      () => unmatched.join(rows.left.iterator, rows.right.iterator),
      columns.left.length
    )
  }
}

object TwoPassTask {

  /** One pass where it gives the join's rows, else two. */
  def ifNeeded(probing: Probing, columns: Sides[Seq[Attribute]])(
      pass: Probing => PartitionsJoinTask
  ): PartitionsJoinTask =
    if (probing.unfound) new TwoPassTask(pass, columns) else pass(probing)
}

/** The pairs of one join, then the unmatched rows that another gives, each as a pair without a left row. One thread,
  * the task's.
  *
  * @param rest
  *   asked for when the first are through
  * @param columns
  *   of a left row
  */
final private class TwoPassIterator(pairs: JoinedPairs, rest: () => JoinedPairs, columns: Int)
    extends JoinedPairs(Side.R) {
  private[this] val none = new GenericInternalRow(columns)
  private[this] var unmatched: JoinedPairs = _ // null while there are pairs

  def counts: Seq[Long] =
    if (unmatched == null) pairs.counts
    else pairs.counts.zipAll(unmatched.counts, 0L, 0L).map { case (a, b) => a + b }

  def atProbe(): Boolean =
    if (unmatched != null) unmatched.atProbe()
    else
      pairs.atProbe() || {
        pairs.close()
        unmatched = rest()
        unmatched.atProbe()
      }

  def probe: InternalRow = if (unmatched == null) pairs.probe else none

  def found: UnsafeRow =
    if (unmatched == null) pairs.found else unmatched.probe.asInstanceOf[UnsafeRow]

  override def foundBase: AnyRef = if (unmatched == null) pairs.foundBase else found.getBaseObject

  override def foundOffset: Long =
    if (unmatched == null) pairs.foundOffset else found.getBaseOffset

  def close(): Unit = {
    pairs.close()
    if (unmatched != null) unmatched.close()
  }

  protected def moveToMatch(): Boolean =
    if (unmatched == null) pairs.nextMatch() else unmatched.nextMatch()
}

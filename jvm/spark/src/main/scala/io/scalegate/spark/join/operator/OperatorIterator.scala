package io.scalegate.spark.join.operator

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import io.scalegate.join.{RunningTypedJoin, TypedResult}
import io.scalegate.spark.join.Probing
import io.scalegate.spark.rows.UnsafeRows
import io.scalegate.stream.{Sides, StreamTuple}

/** The pairs of two inputs, which are delivered in the order of their times. Results come in the join's own order, after
  * the rows without a time that are given because they match nothing.
  */
final class OperatorIterator(
    join: RunningTypedJoin,
    probing: Probing,
    left: TimedRows,
    right: TimedRows,
    task: TaskContext,
    kept: KeptRows
) extends FedPairs(join, probing, task) {
  private[this] val joinType = probing.joinType
  private[this] val noLeft = UnsafeRows.ofNulls(left.columns)
  private[this] val noRight = UnsafeRows.ofNulls(right.columns)
  private[this] var timed = false // every row without a time was taken

  protected def rows: Sides[Long] = Sides(left.count, right.count)

  protected def seek(): Unit = {
    while (!isGiven && !timed) takeUntimed()
    while (!isGiven && !isDone) step()
  }

  protected def take(result: TypedResult): Unit = set(rowOf(result.r), rowOf(result.s))

  private[this] def takeUntimed(): Unit = {
    val l = left.nextUntimed()
    val r = if (l == null) right.nextUntimed() else null
    timed = l == null && r == null
    if ((l != null && joinType.unmatchedR) || (r != null && joinType.unmatchedS)) set(l, r)
  }

  private[this] def rowOf(t: StreamTuple): UnsafeRow =
    if (t == null) null else t.row.asInstanceOf[UnsafeRow]

  /** Null where a row is missing. */
  private[this] def set(l: UnsafeRow, r: UnsafeRow): Unit =
    giveSides(if (l == null) noLeft else l, if (r == null) noRight else r)

  protected def deliver(): Boolean = {
    val (l, r) = (left.head, right.head)
    if (l == null && r == null) {
      left.sources.close()
      right.sources.close()
      endOfRows()
      false
    } else if (r == null || (l != null && l.ts <= r.ts))
      give(left, right)
    else give(right, left)
  }

  /** Whatever the other side has not delivered yet comes no earlier than this tuple. */
  private[this] def give(from: TimedRows, other: TimedRows): Boolean = {
    val tuple = from.head
    val accepted = from.sources.tryAdd(tuple)
    if (accepted) {
      kept.add(tuple)
      from.advance()
    } else if (other.head == null) other.sources.close()
    else other.sources.advance(other.head.ts)
    accepted
  }
}

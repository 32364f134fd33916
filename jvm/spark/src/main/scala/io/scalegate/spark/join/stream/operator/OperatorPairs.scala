package io.scalegate.spark.join.stream.operator

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import io.scalegate.spark.join.stream.task.{BatchSide, StoredPairs, StreamJoinEnd, UnmatchedRows}
import io.scalegate.spark.join.{Probing, RowAddress}
import io.scalegate.stream.{Side, Sides}

/** The rows that one batch, or a part of one, adds to a streaming join that an operator of the papers runs: as the operator
  * gives them, in the order of their times, after those without a time that match nothing. One thread, the task's.
  *
  * @param operator
  *   which has begun with the rows of this part; null where it cannot give anything
  */
final private[operator] class OperatorPairs(
    operator: LiveOperator,
    probing: Probing,
    sides: Sides[BatchSide],
    end: StreamJoinEnd
) extends StoredPairs(sides, end) {
  private[this] val untimed = UnmatchedRows.atOnce(sides.toSeq, probing)

  def comparisons: Long = if (operator == null) 0L else operator.comparisons

  def advance(): Boolean =
    if (untimed.hasNext) {
      val unmatched = untimed.next()
      give(unmatched.side, unmatched.row)
    } else {
      val result = if (operator == null) null else operator.next()
      if (result != null) {
        set(leftAddress, if (result.r == null) null else result.r.row)
        set(rightAddress, if (result.s == null) null else result.s.row)
      }
      result != null
    }

  /** The operator goes on: the end of the task closes it. */
  def close(): Unit = ()

  private[this] def give(side: Side, row: UnsafeRow) = {
    val ofLeft = side eq Side.R
    set(leftAddress, if (ofLeft) row else null)
    set(rightAddress, if (ofLeft) null else row)
    true
  }

  private[this] def set(address: RowAddress, row: AnyRef): Unit =
    if (row == null) address.setNulls() else address.set(row.asInstanceOf[UnsafeRow])
}

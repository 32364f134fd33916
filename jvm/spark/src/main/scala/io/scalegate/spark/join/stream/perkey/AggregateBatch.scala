package io.scalegate.spark.join.stream.perkey

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import io.scalegate.spark.join.aggregate.{IntervalResults, RightRows}
import io.scalegate.spark.join.stream.task.{BatchServices, StreamBatch}
import io.scalegate.spark.rows.UnsafeRows
import io.scalegate.stream.Sides

/** The rows that one batch adds to aggregates of the rows of one stream around each row of another, in one partition: each
  * left row whose answer is final by the batch's watermark, with its results in the place of a right row. Key after key,
  * of each in the order of the left rows' times.
  *
  * One thread, the task's. It holds the right rows of one window of each interval twice: in the state, and sliding.
  *
  * @param results
  *   the task's, over no columns of the left row
  * @param before
  *   what was held; nothing of it is changed
  */
final private[scalegate] class AggregateBatch(
    results: IntervalResults,
    reach: AnswerReach,
    arrivals: Sides[KeyedArrivals],
    before: AnswerState,
    eventTimes: Sides[Int],
    batch: StreamBatch,
    services: BatchServices
) extends AnswerBatch(reach, arrivals, before, eventTimes, batch, services) {
  private[this] val withoutRows = arrivals.left.unmatchable ++ arrivals.left.unmatchableNow
  private[this] val keys = leftRows().iterator
  private[this] val nothing = UnsafeRows.ofNulls(0)
  private[this] val pushedBefore = results.pushed
  private[this] var probes = Iterator.empty[KeyedRow] // of the current key
  private[this] val candidates = new Array[RightRows](results.intervals) // null before the first

  /** Right rows that were in a window. */
  def comparisons: Long = results.pushed - pushedBefore

  /** By their keys, in the order in which these come. */
  private[this] def leftRows()
      : mutable.LinkedHashMap[UnsafeRow, mutable.ArrayBuffer[KeyedRow]] = {
    val rows = mutable.LinkedHashMap.empty[UnsafeRow, mutable.ArrayBuffer[KeyedRow]]
    arrivals.left.now.foreach { row =>
      val key = arrivals.left.keyOf(row.row)
      rows.getOrElse(
        key, {
          val made = mutable.ArrayBuffer.empty[KeyedRow]
          rows(key.copy()) = made
          made
        }
      ) += row
    }
    rows
  }

  protected def step(): Boolean =
    if (withoutRows.hasNext) {
      give(withoutRows.next(), results.ofNone(nothing).copy())
      true
    } else if (probes.hasNext) {
      val probe = probes.next()
      give(probe.row, results.of(nothing, probe.time, candidates(_)).copy())
      true
    } else if (keys.hasNext) {
      val (key, rows) = keys.next()
      probes = rows.iterator
      val ofKey = rightRows(key)
      for (i <- candidates.indices) candidates(i) = new OfKey(ofKey)
      results.beginKey()
      true
    } else false

  /** The right rows of a key. */
  final private class OfKey(rows: Vector[KeyedRow]) extends RightRows {
    private[this] var at = 0

    override def isPresent: Boolean = at < rows.size
    override def time: Long = rows(at).time
    override def row: UnsafeRow = rows(at).row
    override def advance(): Unit = {
      at += 1
      if ((at & AggregateBatch.Patience) == 0) services.waiting()
    }
  }
}

private object AggregateBatch {

  /** Rows, less one, a power of two, between two calls of `waiting`. */
  final private val Patience = (1 << 12) - 1
}

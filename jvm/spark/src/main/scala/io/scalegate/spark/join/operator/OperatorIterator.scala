package io.scalegate.spark.join.operator

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.scalegate.TaskAccess

import io.scalegate.join.RunningTypedJoin
import io.scalegate.spark.join.{Probing, UngroupedPairs}
import io.scalegate.spark.rows.UnsafeRows
import io.scalegate.stream.{IdleStrategy, Sides, StreamTuple}

/** Feeds a running join and takes its results on the task's thread, which therefore never waits for the one while the
  * join waits for the other. Results come in the join's own order, after the rows without a time that are given because
  * they match nothing.
  *
  * The join's own threads compare rows, and end when this is closed. Its windows are in the task's memory, and are not
  * spilled.
  *
  * @param probing
  *   as `join` was opened for it; which side probes is for the reader of the pairs alone
  */
final class OperatorIterator(
    join: RunningTypedJoin,
    probing: Probing,
    left: TimedRows,
    right: TimedRows,
    task: TaskContext,
    kept: KeptRows
) extends UngroupedPairs(probing.side) {
  private[this] val joinType = probing.joinType
  private[this] val noLeft = UnsafeRows.ofNulls(left.columns)
  private[this] val noRight = UnsafeRows.ofNulls(right.columns)
  private[this] val idle = new IdleStrategy.Backoff()
  private[this] var timed = false // every row without a time was taken
  private[this] var fed = false

  def counts: Seq[Long] = {
    val m = join.metrics
    val shares = m.workers.map(_.comparisons)
    Seq(m.comparisons, shares.max, shares.min, m.stored, m.peakWindowRows)
  }

  /** What it has done; exact once it is closed. */
  def work(partition: Int, nanos: Long): TaskWork =
    TaskWork(partition, nanos, Sides(left.count, right.count), join.metrics, join.details)

  protected def seek(): Unit = {
    while (!isGiven && !timed) takeUntimed()
    while (!isGiven && !join.isDone) {
      val result = join.poll()
      if (result != null) set(rowOf(result.r), rowOf(result.s))
      else if (!feed()) waitForWorkers()
    }
  }

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

  def close(): Unit = join.close()

  private[this] def waitForWorkers(): Unit = {
    TaskAccess.stopIfKilled(task)
    idle.idle()
  }

  /** Delivers tuples in merged order, until a source is full; false if it could deliver none. */
  private[this] def feed(): Boolean = {
    var count = 0
    while (!fed && count < OperatorIterator.Burst && deliver()) count += 1
    if (count > 0) idle.reset()
    count > 0
  }

  private[this] def deliver(): Boolean = {
    val (l, r) = (left.head, right.head)
    if (l == null && r == null) {
      closeBoth()
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

  private[this] def closeBoth(): Unit = {
    left.sources.close()
    right.sources.close()
    fed = true
  }
}

object OperatorIterator {

  /** Names of the metrics that [[OperatorIterator.counts]] go to, and what they say. */
  val Counters: Seq[(String, String)] = Seq(
    "comparisons" -> "comparisons",
    "busiest" -> "comparisons of the busiest thread",
    "leastBusy" -> "comparisons of the least busy thread",
    "rowsKept" -> "rows kept in windows",
    "peakWindow" -> "peak window rows, sum over threads"
  )

  /** Tuples that are delivered before the results are looked at again. */
  private val Burst = 256
}

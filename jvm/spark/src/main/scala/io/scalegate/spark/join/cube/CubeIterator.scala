package io.scalegate.spark.join.cube

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.scalegate.TaskAccess

import io.scalegate.matrix.cube.{CubeResult, RunningCubeJoin}
import io.scalegate.spark.rows.AttributeReader
import io.scalegate.stream.{IdleStrategy, Side, StreamTuple}

/** Feeds a running join of three and takes its results, on the task's thread, which therefore never waits for the one while
  * the join waits for the other. Each row is valid until the next is asked for.
  */
final private[cube] class CubeIterator(
    join: RunningCubeJoin,
    inputs: IndexedSeq[CubeRows],
    project: UnsafeProjection,
    task: TaskContext
) extends Iterator[InternalRow]
    with AutoCloseable {
  private[this] val idle = new IdleStrategy.Backoff()
  private[this] val feed = new CubeFeed(join)
  private[this] val triple = new TripleRow
  private[this] var result: CubeResult = _
  private[this] var taken = 0L

  /** Rows given so far. */
  def count: Long = taken

  /** Exact once this is closed. */
  def comparisons: Long = join.metrics.comparisons

  def hasNext: Boolean = {
    while (result == null && !join.isDone) {
      result = join.poll()
      if (result == null && !deliver()) {
        TaskAccess.stopIfKilled(task)
        idle.idle()
      }
    }
    result != null
  }

  def next(): InternalRow = {
    if (!hasNext) throw new NoSuchElementException("no more triples")
    val row = project(triple(result.r, result.s, result.t))
    result = null
    taken += 1
    row
  }

  def close(): Unit = join.close()

  /** Delivers tuples in the order of their times until a source is full; false if it could deliver none. */
  private[this] def deliver(): Boolean = {
    var count = 0
    while (count < CubeIterator.Burst && deliverNext()) count += 1
    if (count > 0) idle.reset()
    count > 0
  }

  private[this] def deliverNext(): Boolean = {
    var next: CubeRows = null
    for (input <- inputs)
      if (input.head != null && (next == null || input.head.ts < next.head.ts)) next = input
    if (next == null) feed.close()
    val delivered = next != null && feed.tryAdd(next.head)
    if (delivered) next.advance()
    delivered
  }
}

private object CubeIterator {

  /** Tuples that are delivered before the results are looked at again. */
  val Burst = 256
}

/** One input as tuples of a source, in the order of its times. One thread, the task's; a tuple has a copy of its row. */
final private[cube] class CubeRows(
    rows: Iterator[UnsafeRow],
    times: AttributeReader,
    attributes: AttributeReader,
    source: Int
) {
  private[this] var seq = 0L

  /** The tuple that comes next, null at the end. */
  var head: StreamTuple = _
  advance()

  def advance(): Unit = head = if (rows.hasNext) tuple(rows.next()) else null

  private[this] def tuple(row: UnsafeRow): StreamTuple = {
    require(times.read(row) && attributes.read(row), "a row without a time or an attribute")
    seq += 1
    // The side is not looked at.
    new StreamTuple(
      times.keys(0),
      source,
      seq,
      Side.R,
      attributes.keys.clone(),
      row.copy()
    )
  }
}

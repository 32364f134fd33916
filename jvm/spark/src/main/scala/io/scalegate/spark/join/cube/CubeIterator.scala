package io.scalegate.spark.join.cube

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{JoinedRow, UnsafeProjection, UnsafeRow}
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
  private[this] val (two, three) = (new JoinedRow, new JoinedRow)
  private[this] var result: CubeResult = _
  private[this] var taken = 0L

  /** Rows given so far. */
  def count: Long = taken

  /** Exact once this is closed. */
  def comparisons: Long = join.metrics.comparisons

  def hasNext: Boolean = {
    while (result == null && !join.isDone) {
      result = join.poll()
      if (result == null && !feed()) {
        TaskAccess.stopIfKilled(task)
        idle.idle()
      }
    }
    result != null
  }

  def next(): InternalRow = {
    if (!hasNext) throw new NoSuchElementException("no more triples")
    val row = project(three(two(rowOf(result.r), rowOf(result.s)), rowOf(result.t)))
    result = null
    taken += 1
    row
  }

  def close(): Unit = join.close()

  private[this] def rowOf(t: StreamTuple) = t.row.asInstanceOf[InternalRow]

  /** Delivers tuples in the order of their times until a source is full; false if it could deliver none. */
  private[this] def feed(): Boolean = {
    var count = 0
    while (count < CubeIterator.Burst && deliver()) count += 1
    if (count > 0) idle.reset()
    count > 0
  }

  private[this] def deliver(): Boolean = {
    var next = -1
    for (i <- inputs.indices) {
      val head = inputs(i).head
      if (head != null && (next < 0 || head.ts < inputs(next).head.ts)) next = i
    }
    val delivered = next >= 0 && join.sources(next).tryAdd(inputs(next).head)
    if (delivered) inputs(next).advance() else for (i <- inputs.indices if i != next) tell(i)
    delivered
  }

  /** What comes next of an input that has nothing to deliver yet. */
  private[this] def tell(input: Int): Unit = {
    val head = inputs(input).head
    if (head == null) join.sources(input).close() else join.sources(input).advance(head.ts)
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

package io.scalegate.spark.join.stream.cube

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import io.scalegate.matrix.cube.{CubeResult, RunningCubeJoin}
import io.scalegate.spark.join.cube.CubeFeed
import io.scalegate.spark.join.stream.operator.LiveRun
import io.scalegate.spark.join.stream.state.RowBatch
import io.scalegate.spark.rows.AttributeReader
import io.scalegate.stream.{Side, StreamTuple}

/** A join of three inputs under way in a task, which is given the rows of all of them.
  *
  * @param input
  *   the column that says which input a row is of
  * @param attributes
  *   reads the banded attributes of an input's rows
  */
final private[cube] class LiveCube(
    join: RunningCubeJoin,
    input: Int,
    attributes: IndexedSeq[AttributeReader],
    waiting: () => Unit
) extends LiveRun[CubeResult](join, waiting) {
  private[this] val feed = new CubeFeed(join)
  private[this] var rows: RowBatch = _
  private[this] var before = 0L // rows that came before these
  private[this] var position = 0
  private[this] var current: StreamTuple = _ // that was not taken yet

  protected def compared: Long = join.metrics.comparisons

  /** Takes more rows: all that there are after those before and up to a time. [[next]] must have given null. The sequence
    * numbers of their tuples go on from `before`, the number of rows that came before them.
    */
  def begin(rows: RowBatch, before: Long, upTo: Long): Unit = {
    this.rows = rows
    this.before = before
    position = 0
    beginUpTo(upTo)
  }

  protected def hasRows: Boolean = position < rows.size

  protected def promise(end: Long): Unit = feed.advance(end)

  protected def give(): Boolean = {
    if (current == null) current = tuple(rows.stored.row(position))
    val taken = feed.tryAdd(current)
    if (taken) {
      current = null
      position += 1
    }
    taken
  }

  private[this] def tuple(row: UnsafeRow) = {
    val source = row.getInt(input)
    val reader = attributes(source)
    require(reader.read(row), "a row without an attribute")
    // The side is not looked at.
    new StreamTuple(
      rows.timeOf(position),
      source,
      before + position + 1,
      Side.R,
      reader.keys.clone(),
      row
    )
  }
}

package io.scalegate.spark.join.operator

import java.util.ArrayDeque

import org.apache.spark.sql.catalyst.InternalRow

import io.scalegate.spark.rows.{RowSize, WindowMemory}
import io.scalegate.stream.{CountWindow, SaturatingMath, StreamTuple, TimeWindow, Window}

/** Accounts for the rows that an operator's windows keep. One thread, the task's. It reserves memory before more rows
  * are kept; nothing is spilled.
  */
sealed abstract class KeptRows {
  def add(t: StreamTuple): Unit

  final protected def bytesOf(t: StreamTuple): Long =
    RowSize.inBytes(t.row.asInstanceOf[InternalRow])
}

object KeptRows {
  def of(window: Window, memory: WindowMemory): KeptRows = window match {
    case CountWindow(rowsR, rowsS) =>
      new Counted(SaturatingMath.add(rowsR, rowsS), memory)
    case TimeWindow(lower, upper) =>
      val ofRight = SaturatingMath.subtract(0L, lower)
      new Timed(math.max(0L, math.max(ofRight, upper)), memory)
  }

  /** The last rows of each side, in all. */
  final private class Counted(windowRows: Long, memory: WindowMemory) extends KeptRows {
    private[this] var rows = 0L
    private[this] var bytes = 0L

    def add(t: StreamTuple): Unit = {
      rows += 1
      bytes += bytesOf(t)
      val kept = math.min(rows, windowRows)
      memory.reserve(kept, (kept.toDouble / rows * bytes).toLong)
    }
  }

  /** The rows that are no older than a row of the other side may be that they match.
    *
    * @param span
    *   in the time's unit
    */
  final private class Timed(span: Long, memory: WindowMemory) extends KeptRows {
    private[this] val rows = new ArrayDeque[Row]
    private[this] var bytes = 0L

    def add(t: StreamTuple): Unit = {
      val oldest = SaturatingMath.subtract(t.ts, span)
      while (!rows.isEmpty && rows.peekFirst.ts < oldest) bytes -= rows.pollFirst.bytes
      val row = new Row(t.ts, bytesOf(t))
      rows.addLast(row)
      bytes += row.bytes
      memory.reserve(rows.size.toLong, bytes)
    }
  }

  final private class Row(val ts: Long, val bytes: Long)
}

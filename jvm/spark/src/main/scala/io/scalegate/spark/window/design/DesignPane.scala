package io.scalegate.spark.window.design

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import io.scalegate.spark.window.SlidingWindow
import io.scalegate.stream.StreamTuple

/** A pane of a stream that waits to be given to a design, or what has come of one; in the order of the panes' starts. It
  * owns its partial result.
  */
final private[window] class DesignPane(
    val key: UnsafeRow,
    val start: Long,
    val partial: UnsafeRow
) extends Comparable[DesignPane] {
  def tuple(by: SlidingWindow, input: Int, seq: Long): StreamTuple =
    DesignTuples.tuple(start, by, input, seq, key, partial)

  override def compareTo(other: DesignPane): Int = java.lang.Long.compare(start, other.start)
}

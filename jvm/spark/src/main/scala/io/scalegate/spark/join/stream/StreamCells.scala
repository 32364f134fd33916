package io.scalegate.spark.join.stream

import org.apache.spark.sql.catalyst.expressions.Expression

import io.scalegate.spark.join.batch.SliceBy
import io.scalegate.stream.Side

/** How the rows of a join of two streams are spread over cells. The last column of each input is the cell.
  *
  * @param left
  *   the attributes that decide a left row's cells, as `right` are those of a right row
  */
final case class StreamCells(by: SliceBy, left: Seq[Expression], right: Seq[Expression]) {
  def attributes(side: Side): Seq[Expression] = if (side eq Side.R) left else right
}

package io.scalegate.spark.join.stream.task

import org.apache.spark.sql.catalyst.expressions.Expression

import io.scalegate.spark.join.batch.SliceBy

/** The cells that a row of an input was sent to, one copy to each.
  *
  * @param attributes
  *   that decide them, as `by` says
  * @param column
  *   of the input that holds the cell
  */
final case class Copies(attributes: Seq[Expression], by: SliceBy, column: Int)

package io.scalegate.spark.join.stream.task

import org.apache.spark.sql.catalyst.expressions.Expression

import io.scalegate.stream.Side

/** The keys by which a window of rows counts them, of the left side's rows and of the right ones. */
final case class WindowKeys(left: Seq[Expression], right: Seq[Expression]) {
  def apply(side: Side): Seq[Expression] = if (side eq Side.R) left else right
}

package io.scalegate.spark.join.hint

import io.scalegate.partition.MatrixLayout
import io.scalegate.spark.settings.Algorithm

/** What a hint says of how its join is to be run.
  *
  * @param algorithm
  *   as `Algorithm.parse` reads it, if it says so
  * @param layout
  *   of the matrix, which it asks for then
  * @param ordered
  *   whether the rows of a join of streams are to come in the order of their times
  */
final case class HintOptions(
    algorithm: Option[String] = None,
    layout: Option[MatrixLayout] = None,
    ordered: Boolean = false
) {

  /** The algorithm that is asked for, unless it is left to the planner. */
  def requested: Option[Algorithm] =
    if (layout.nonEmpty) Some(Algorithm.Matrix) else algorithm.flatMap(Algorithm.parse).flatten
}

object HintOptions {

  /** How a hint asks for rows in order. */
  val Ordered = "ordered"
}

package io.scalegate.spark.plan

import io.scalegate.join.matrix.MatrixLayout
import io.scalegate.spark.Errors

/** What a hint says of how its join is to be run.
  *
  * @param algorithm
  *   one of [[Algorithm.names]], if it says so
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
    if (layout.nonEmpty) Some(Algorithm.Matrix) else algorithm.flatMap(Algorithm.named)
}

object HintOptions {

  /** How a hint asks for rows in order. */
  val Ordered = "ordered"
}

/** Layouts as hints and settings write them: `2x3` is two rows of three cells. */
object LayoutText {
  private[this] val Format = """\s*(\d+)\s*[xX]\s*(\d+)\s*""".r

  /** None for what is not of that form.
    *
    * @throws IllegalArgumentException
    *   for what is, and is no layout
    */
  def parse(text: String): Option[MatrixLayout] = text match {
    case Format(rows, columns) =>
      val layout = for {
        m <- rows.toIntOption if m > 0
        n <- columns.toIntOption if n > 0 && m.toLong * n <= MatrixLayout.MostWorkers
      } yield MatrixLayout(m, n)
      Some(layout.getOrElse(throw Errors.layoutSize(text)))
    case _ => None
  }
}

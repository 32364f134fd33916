package io.scalegate.spark.settings

import io.scalegate.partition.MatrixLayout

/** Layouts as hints and settings write them: `2x3` is two rows of three cells. */
object LayoutText {
  private[this] val Format = """\s*(\d+)\s*[xX]\s*(\d+)\s*""".r

  /** None for what is not of that form.
    *
    * @throws java.lang.IllegalArgumentException
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

package io.scalegate.spark.settings

import io.scalegate.matrix.cube.CubeLayout
import io.scalegate.partition.MatrixLayout

/** Layouts of a cube as hints write them: in `2x1x1` the first input's window is cut into two segments. */
object CubeLayoutText {
  private[this] val Format = """\s*(\d+)\s*[xX]\s*(\d+)\s*[xX]\s*(\d+)\s*""".r

  /** None for what is no layout. */
  def unapply(text: String): Option[CubeLayout] = text match {
    case Format(r, s, t) =>
      val sides = Seq(r, s, t).map(BigInt(_))
      Option.when(sides.forall(_ > 0) && sides.product <= MatrixLayout.MostWorkers)(
        CubeLayout(sides(0).toInt, sides(1).toInt, sides(2).toInt)
      )
    case _ => None
  }
}

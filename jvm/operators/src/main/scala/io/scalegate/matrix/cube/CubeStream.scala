package io.scalegate.matrix.cube

/** One of the three logical streams of a [[CubeJoin]]. */
sealed abstract class CubeStream(val number: Int, override val toString: String)

object CubeStream {
  case object R extends CubeStream(0, "R")
  case object S extends CubeStream(1, "S")
  case object T extends CubeStream(2, "T")

  val all: IndexedSeq[CubeStream] = Vector(R, S, T)
}

package io.scalegate.join

import io.scalegate.stream.Side

/** Which results a join gives.
  *
  * @param pairs
  *   every pair that matches
  * @param onceR
  *   every tuple of R that matches, once, without its partners
  * @param unmatchedR
  *   every tuple of R that matches nothing
  * @param unmatchedS
  *   every tuple of S that matches nothing
  */
sealed abstract class JoinType(
    val pairs: Boolean,
    val onceR: Boolean,
    val unmatchedR: Boolean,
    val unmatchedS: Boolean
) {

  /** Whether something is decided about each tuple of this side. */
  private[join] def decides(side: Side): Boolean =
    if (side eq Side.R) onceR || unmatchedR else unmatchedS
}

object JoinType {
  case object Inner
      extends JoinType(pairs = true, onceR = false, unmatchedR = false, unmatchedS = false)
  case object LeftOuter
      extends JoinType(pairs = true, onceR = false, unmatchedR = true, unmatchedS = false)
  case object RightOuter
      extends JoinType(pairs = true, onceR = false, unmatchedR = false, unmatchedS = true)
  case object FullOuter
      extends JoinType(pairs = true, onceR = false, unmatchedR = true, unmatchedS = true)
  case object LeftSemi
      extends JoinType(pairs = false, onceR = true, unmatchedR = false, unmatchedS = false)
  case object LeftAnti
      extends JoinType(pairs = false, onceR = false, unmatchedR = true, unmatchedS = false)

  def all: Seq[JoinType] = Seq(Inner, LeftOuter, RightOuter, FullOuter, LeftSemi, LeftAnti)
}

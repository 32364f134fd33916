package io.scalegate.join

import io.scalegate.stream.Side

/** Which results a join gives.
  *
  * @param pairs
  *   every pair that matches
  * @param onceR
  *   every tuple of R that matches, once, without its partners
  * @param loneR
  *   every tuple of R that matches nothing
  * @param loneS
  *   every tuple of S that matches nothing
  */
sealed abstract class JoinType(
    val pairs: Boolean,
    val onceR: Boolean,
    val loneR: Boolean,
    val loneS: Boolean
) {

  /** Whether something is decided about each tuple of this side. */
  private[join] def decides(side: Side): Boolean =
    if (side eq Side.R) onceR || loneR else loneS
}

object JoinType {
  case object Inner
      extends JoinType(pairs = true, onceR = false, loneR = false, loneS = false)
  case object LeftOuter
      extends JoinType(pairs = true, onceR = false, loneR = true, loneS = false)
  case object RightOuter
      extends JoinType(pairs = true, onceR = false, loneR = false, loneS = true)
  case object FullOuter
      extends JoinType(pairs = true, onceR = false, loneR = true, loneS = true)
  case object LeftSemi
      extends JoinType(pairs = false, onceR = true, loneR = false, loneS = false)
  case object LeftAnti
      extends JoinType(pairs = false, onceR = false, loneR = true, loneS = false)

  def all: Seq[JoinType] = Seq(Inner, LeftOuter, RightOuter, FullOuter, LeftSemi, LeftAnti)
}

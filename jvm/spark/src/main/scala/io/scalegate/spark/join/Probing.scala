package io.scalegate.spark.join

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.physical.{
  Partitioning,
  PartitioningCollection,
  UnknownPartitioning
}
import org.apache.spark.sql.catalyst.plans.{
  FullOuter,
  InnerLike,
  JoinType => SparkJoinType,
  LeftAnti,
  LeftOuter,
  LeftSemi,
  RightOuter
}

import io.scalegate.join.JoinType
import io.scalegate.stream.{Side, Sides}

/** What a window join gives for each row of the probe side. A row's matches are found in one task, so whether the row
  * is unmatched is decided there, once.
  *
  * @param side
  *   the probe side; the other is the build side
  * @param pairs
  *   each pair that matches; if not, the row itself
  * @param unmatched
  *   the row when it matches nothing, with NULLs for the other side
  * @param unfound
  *   each row of the other side that matches nothing, with NULLs for this one
  * @param most
  *   how many matches of a row are given, the first that are found
  */
final case class Probing(
    side: Side,
    pairs: Boolean,
    unmatched: Boolean,
    unfound: Boolean = false,
    most: Int = Int.MaxValue
) {
  def isInner: Boolean = pairs && !unmatched && !unfound

  /** Whether rows of this side are given, or not, for having matched something. */
  def decides(ofSide: Side): Boolean = if (ofSide eq side) unmatched || !pairs else unfound

  /** The columns of a joined pair, where a row may be missing. */
  def columns(inputs: Sides[Seq[Attribute]]): Seq[Attribute] = {
    val mayMiss = Sides.bySide(side, unfound, unmatched)
    inputs.zip(mayMiss).toSeq.flatMap { case (columns, is) =>
      if (is) columns.map(_.withNullability(true)) else columns
    }
  }

  /** Where the joined rows lie if the inputs lie by their keys. */
  def partitioning(left: Partitioning, right: Partitioning): Partitioning =
    if (isInner) PartitioningCollection(Seq(left, right))
    else if (unfound) UnknownPartitioning(left.numPartitions)
    else if (side eq Side.R) left
    else right

  /** The core's name for it. */
  def joinType: JoinType =
    if (isInner) JoinType.Inner
    else if (unfound) JoinType.FullOuter
    else if (!pairs) { if (unmatched) JoinType.LeftAnti else JoinType.LeftSemi }
    else if (side eq Side.R) JoinType.LeftOuter
    else JoinType.RightOuter

  def name: String =
    if (isInner) "Inner"
    else if (unfound) "FullOuter"
    else {
      val kind = if (pairs) "Outer" else if (unmatched) "Anti" else "Semi"
      sideName.capitalize + kind
    }

  /** What users call the probe side. */
  def sideName: String = Probing.nameOf(side)

  /** What they call the build side. */
  def heldName: String = Probing.nameOf(side.opposite)
}

object Probing {
  val Inner: Probing = Probing(Side.R, pairs = true, unmatched = false)

  private def nameOf(side: Side): String = Sides("left", "right")(side)

  /** How one pass gives a join of this type. */
  def from(joinType: SparkJoinType): Option[Probing] = joinType match {
    case _: InnerLike => Some(Inner)
    case LeftOuter => Some(Probing(Side.R, pairs = true, unmatched = true))
    case RightOuter => Some(Probing(Side.S, pairs = true, unmatched = true))
    case FullOuter => Some(Probing(Side.R, pairs = true, unmatched = true, unfound = true))
    case LeftSemi => Some(Probing(Side.R, pairs = false, unmatched = false))
    case LeftAnti => Some(Probing(Side.R, pairs = false, unmatched = true))
    case _ => None
  }
}

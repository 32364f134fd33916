package io.scalegate.spark.exec

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  BasePredicate,
  GenericInternalRow,
  JoinedRow
}
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
import io.scalegate.stream.Side

/** What a window join gives for each row of the side that probes. A row's matches are found in one task, so
  * whether it has any is decided there, once.
  *
  * @param side
  *   the side that probes; the other is searched
  * @param pairs
  *   each pair that matches; if not, the row itself
  * @param unmatched
  *   the row when it matches nothing, with NULLs for the other side
  * @param unfound
  *   each row of the other side that matches nothing, with NULLs for this one
  */
final case class Probing(
    side: Side,
    pairs: Boolean,
    unmatched: Boolean,
    unfound: Boolean = false
) {
  def isInner: Boolean = pairs && !unmatched && !unfound

  /** Whether rows of this side are given, or not, for having matched something. */
  def decides(of: Side): Boolean = if (of eq side) unmatched || !pairs else unfound

  /** The columns of a joined pair, where a row may be missing. */
  def columns(left: Seq[Attribute], right: Seq[Attribute]): Seq[Attribute] = {
    def of(columns: Seq[Attribute], from: Side) = {
      val mayMiss = if (from eq side) unfound else unmatched
      if (mayMiss) columns.map(_.withNullability(true)) else columns
    }
    of(left, Side.R) ++ of(right, Side.S)
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

  def name: String = {
    val sideName = if (side eq Side.R) "Left" else "Right"
    if (isInner) "Inner"
    else if (unfound) "FullOuter"
    else if (pairs) s"${sideName}Outer"
    else if (unmatched) s"${sideName}Anti"
    else s"${sideName}Semi"
  }
}

object Probing {
  val Inner: Probing = Probing(Side.R, pairs = true, unmatched = false)

  /** How one pass gives a join of this type. */
  def of(joinType: SparkJoinType): Option[Probing] = joinType match {
    case _: InnerLike => Some(Inner)
    case LeftOuter => Some(Probing(Side.R, pairs = true, unmatched = true))
    case RightOuter => Some(Probing(Side.S, pairs = true, unmatched = true))
    case FullOuter => Some(Probing(Side.R, pairs = true, unmatched = true, unfound = true))
    case LeftSemi => Some(Probing(Side.R, pairs = false, unmatched = false))
    case LeftAnti => Some(Probing(Side.R, pairs = false, unmatched = true))
    case _ => None
  }
}

/** Takes the rows of the side that probes one after the other, and what is found for each, and gives the
  * join's rows.
  *
  * @param probed
  *   the columns of the side that probes, as `searched` are those of the other
  * @param accepts
  *   whether a pair of a probe row and one found for it is a match; all are if there is no such condition
  */
abstract class ProbeJoinIterator(
    probing: Probing,
    probed: Int,
    searched: Int,
    accepts: Option[BasePredicate]
) extends JoinedPairs {
  private[this] val pair = new JoinedRow
  private[this] val condition = accepts.orNull
  private[this] val nothing = new GenericInternalRow(searched)
  private[this] var open = false // a probe row's search goes on
  private[this] var matched = false
  private[this] var ready = false

  /** Moves to the next probe row and begins its search; null at the end. */
  protected def nextProbe(): InternalRow

  /** The next row found for the probe row, null when there are no more. */
  protected def nextFound(): InternalRow

  /** Told that the row found last is a match. */
  protected def accepted(): Unit = ()

  /** When all probes are through: the next row that nothing was accepted for, null when there are no more. */
  protected def nextUnfound(): InternalRow = null

  def close(): Unit = ()

  /** The pair that [[next]] gives is valid until the next call of [[hasNext]]. */
  final def hasNext: Boolean = {
    while (!ready && (open || begin())) step(nextFound())
    ready || (probing.unfound && beginUnfound())
  }

  final def next(): JoinedRow = {
    if (!hasNext) throw new NoSuchElementException("the join has no more rows")
    ready = false
    pair
  }

  private[this] def begin(): Boolean = {
    val row = nextProbe()
    open = row != null
    if (open) {
      matched = false
      if (probing.side eq Side.R) pair.withLeft(row) else pair.withRight(row)
    }
    open
  }

  private[this] def beginUnfound(): Boolean = {
    val row = nextUnfound()
    ready = row != null
    if (ready) {
      val none = new GenericInternalRow(probed)
      if (probing.side eq Side.R) pair(none, row) else pair(row, none)
    }
    ready
  }

  private[this] def step(found: InternalRow): Unit =
    if (found == null) {
      open = false
      ready = probing.unmatched && !matched
      if (ready) set(nothing)
    } else {
      set(found)
      if (condition == null || condition.eval(pair)) {
        matched = true
        if (probing.unfound) accepted()
        open = probing.pairs
        ready = probing.pairs || !probing.unmatched
      }
    }

  private[this] def set(found: InternalRow): Unit = {
    if (probing.side eq Side.R) pair.withRight(found) else pair.withLeft(found)
    ()
  }
}

package io.scalegate.spark.exec

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  BasePredicate,
  GenericInternalRow,
  JoinedRow
}
import org.apache.spark.sql.catalyst.plans.{
  InnerLike,
  JoinType,
  LeftAnti,
  LeftOuter,
  LeftSemi,
  RightOuter
}

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
  */
final case class Probing(side: Side, pairs: Boolean, unmatched: Boolean) {
  def isInner: Boolean = pairs && !unmatched

  def name: String = {
    val sideName = if (side eq Side.R) "Left" else "Right"
    if (isInner) "Inner"
    else if (pairs) s"${sideName}Outer"
    else if (unmatched) s"${sideName}Anti"
    else s"${sideName}Semi"
  }
}

object Probing {
  val Inner: Probing = Probing(Side.R, pairs = true, unmatched = false)

  /** How one pass gives a join of this type; a full outer join takes two. */
  def of(joinType: JoinType): Option[Probing] = joinType match {
    case _: InnerLike => Some(Inner)
    case LeftOuter => Some(Probing(Side.R, pairs = true, unmatched = true))
    case RightOuter => Some(Probing(Side.S, pairs = true, unmatched = true))
    case LeftSemi => Some(Probing(Side.R, pairs = false, unmatched = false))
    case LeftAnti => Some(Probing(Side.R, pairs = false, unmatched = true))
    case _ => None
  }
}

/** Takes the rows of the side that probes one after the other, and what is found for each, and gives the
  * join's rows.
  *
  * @param searched
  *   the columns of the other side
  * @param accepts
  *   whether a pair of a probe row and one found for it is a match; all are if there is no such condition
  */
abstract class ProbeJoinIterator(
    probing: Probing,
    searched: Seq[Attribute],
    accepts: Option[BasePredicate]
) extends JoinedPairs {
  private[this] val pair = new JoinedRow
  private[this] val condition = accepts.orNull
  private[this] val nothing = new GenericInternalRow(searched.length)
  private[this] var open = false // a probe row's search goes on
  private[this] var matched = false
  private[this] var ready = false

  /** Moves to the next probe row and begins its search; null at the end. */
  protected def nextProbe(): InternalRow

  /** The next row found for the probe row, null when there are no more. */
  protected def nextFound(): InternalRow

  def close(): Unit = ()

  /** The pair that [[next]] gives is valid until the next call of [[hasNext]]. */
  final def hasNext: Boolean = {
    while (!ready && (open || begin())) step(nextFound())
    ready
  }

  final def next(): InternalRow = {
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

  private[this] def step(found: InternalRow): Unit =
    if (found == null) {
      open = false
      ready = probing.unmatched && !matched
      if (ready) set(nothing)
    } else {
      set(found)
      if (condition == null || condition.eval(pair)) {
        matched = true
        open = probing.pairs
        ready = probing.pairs || !probing.unmatched
      }
    }

  private[this] def set(found: InternalRow): Unit = {
    if (probing.side eq Side.R) pair.withRight(found) else pair.withLeft(found)
    ()
  }
}

package io.scalegate.spark.join.asof

import org.apache.spark.sql.catalyst.expressions.Expression

import io.scalegate.lookup.Direction
import io.scalegate.spark.bounds.TermType
import io.scalegate.spark.rows.NodeTerms

/** Which right rows are the nearest to a left one.
  *
  * @param leftTime
  *   over the left input, and of the type of `rightTime`, which is over the right one
  * @param tolerance
  *   conditions on the two
  * @param ties
  *   over the right input: of rows of equal times, the order in which they stand
  * @param exact
  *   whether a right row of the left one's own time counts
  * @param most
  *   right rows for each left one
  */
final case class AsOfTerms(
    leftTime: Expression,
    rightTime: Expression,
    tolerance: Seq[Expression],
    ties: Seq[Expression],
    direction: Direction,
    exact: Boolean,
    most: Int
) extends NodeTerms {
  override def children: Seq[Expression] = Seq(leftTime, rightTime) ++ tolerance ++ ties

  override protected def withNewChildrenInternal(changed: IndexedSeq[Expression]): AsOfTerms = {
    val changes = new NodeTerms.Changed(changed)
    copy(changes.one, changes.one, changes.in(tolerance), changes.in(ties))
  }

  /** Of both times. */
  def timeType: TermType = TermType.from(leftTime.dataType).get

  /** What EXPLAIN says of it. */
  def describe: String = {
    val which = if (most == 1) "" else s"$most "
    val where = direction match {
      case Direction.Backward => s"${which}last ${orBefore("<")}"
      case Direction.Forward => s"${which}first ${orBefore(">")}"
      case Direction.Nearest =>
        s"${which}nearest of ${rightTime.sql} to ${leftTime.sql}${if (exact) "" else ", not at it"}"
    }
    val within = if (tolerance.isEmpty) "" else tolerance.map(_.sql).mkString(", ", " AND ", "")
    val order = if (ties.isEmpty) "" else ties.map(_.sql).mkString(", ties by ", ", ", "")
    s"$where$within$order"
  }

  private[this] def orBefore(than: String): String =
    s"${rightTime.sql} $than${if (exact) "=" else ""} ${leftTime.sql}"
}

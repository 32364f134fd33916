package io.scalegate.spark.join

import org.apache.spark.sql.catalyst.expressions.Expression

import io.scalegate.spark.rows.NodeTerms
import io.scalegate.stream.Sides

/** What the inputs of a join are exchanged by.
  *
  * @param left
  *   equal in every pair, as are `right`: the query's equality keys, or the cell
  * @param cells
  *   if the keys are the ids of cells, which mean nothing to other operators
  */
final case class JoinKeys(
    left: Seq[Expression],
    right: Seq[Expression],
    cells: Option[JoinKeys.Cells] = None
) extends NodeTerms {
  override def children: Seq[Expression] = left ++ right

  override protected def withNewChildrenInternal(changed: IndexedSeq[Expression]): JoinKeys = {
    val changes = new NodeTerms.Changed(changed)
    copy(changes.in(left), changes.in(right))
  }

  /** That both inputs come in, if it is not for Spark to say how many. */
  def partitions: Option[Int] = cells.flatMap(_.partitions)

  def sides: Sides[Seq[Expression]] = Sides(left, right)
}

object JoinKeys {

  /** @param partitions
    *   that both inputs come in, if each cell is one
    */
  final case class Cells(partitions: Option[Int] = None)
}

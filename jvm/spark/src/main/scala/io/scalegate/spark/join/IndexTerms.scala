package io.scalegate.spark.join

import org.apache.spark.sql.catalyst.expressions.{And, Attribute, Expression}

import io.scalegate.spark.rows.{IndexBy, NodeTerms}
import io.scalegate.stream.Sides

/** What makes two rows a pair: how their attributes relate, and what is left of the condition.
  *
  * @param left
  *   the left row's attributes, as `right` are the right one's
  * @param residual
  *   evaluated on every candidate
  * @param ties
  *   over the build side: the order of its rows that are as near as each other, where the nearest are looked for
  */
final case class IndexTerms(
    left: Seq[Expression],
    right: Seq[Expression],
    by: IndexBy,
    residual: Option[Expression],
    ties: Seq[Expression] = Nil
) extends NodeTerms {
  override def children: Seq[Expression] = left ++ right ++ residual ++ ties

  override protected def withNewChildrenInternal(changed: IndexedSeq[Expression]): IndexTerms =
    this.changed(new NodeTerms.Changed(changed))

  /** The same with the next expressions of these in the places of its own. */
  def changed(changes: NodeTerms.Changed): IndexTerms =
    copy(changes.in(left), changes.in(right), by, changes.in(residual), changes.in(ties))

  def attributes: Sides[Seq[Expression]] = Sides(left, right)

  /** The same where these keys are equal too, which are looked for first. */
  def within(key: KeyBound): IndexTerms = copy(
    key.left +: left,
    key.right +: right,
    by.after(key.band),
    (key.residual ++ residual).reduceOption(And.apply)
  )

  /** As a task has them.
    *
    * @param columns
    *   of the inputs
    */
  def inTask(probing: Probing, columns: Sides[Seq[Attribute]]): TaskTerms = new TaskTerms(
    probing,
    Sides(new BoundedInput(left, columns.left), new BoundedInput(right, columns.right)),
    by.of(ties, columns(probing.side.opposite)),
    residual
  )
}

package io.scalegate.spark.join.aggregate

import org.apache.spark.sql.catalyst.expressions.aggregate.{
  AggregateExpression,
  AggregateFunction,
  Final
}
import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  Attribute,
  AttributeSet,
  ExprId,
  Expression,
  NamedExpression
}

import io.scalegate.spark.rows.NodeTerms
import io.scalegate.spark.window.partial.PaneFunctions

/** What is computed of the right rows of each left one. The functions stand here without what Spark wraps them in, since
  * its checks let that stand in its own nodes alone.
  *
  * @param functions
  *   over the right input, which Spark merges partial results of
  * @param filters
  *   for each of them, over the right input
  * @param ids
  *   of their results
  * @param values
  *   over their results
  * @param output
  *   the columns that have these values
  */
final private[scalegate] case class AggregateTerms(
    functions: Seq[AggregateFunction],
    filters: Seq[Option[Expression]],
    ids: Seq[ExprId],
    values: Seq[Expression],
    output: Seq[Attribute]
) extends NodeTerms {
  override def children: Seq[Expression] = functions ++ filters.flatten ++ values

  override protected def withNewChildrenInternal(
      changed: IndexedSeq[Expression]
  ): AggregateTerms = {
    val changes = new NodeTerms.Changed(changed)
    copy(
      changes.in(functions).map(_.asInstanceOf[AggregateFunction]),
      filters.map(changes.in(_)),
      values = changes.in(values)
    )
  }

  /** Of the right input. */
  def inputs: AttributeSet =
    AttributeSet.fromAttributeSets((functions ++ filters.flatten).map(_.references))

  /** As Spark has them. */
  private[this] def expressions: Seq[AggregateExpression] =
    functions.zip(filters).zip(ids).map { case ((function, filter), id) =>
      AggregateExpression(function, Final, isDistinct = false, filter, id)
    }

  /** The same for these columns alone. */
  def only(columns: AttributeSet): AggregateTerms = {
    val kept = results.filter(column => columns.contains(column.toAttribute))
    val used = AttributeSet.fromAttributeSets(kept.map(_.references))
    AggregateTerms(expressions.filter(e => used.contains(e.resultAttribute)), kept)
  }

  /** What the operator makes, and its inputs do not have. */
  def produced: AttributeSet =
    AttributeSet(expressions.map(_.resultAttribute) ++ output) ++
      AttributeSet(functions.flatMap(_.aggBufferAttributes))

  /** As they travel to the executors, for left rows of these columns, of which some are given. */
  def over(columns: Seq[Attribute], shown: Seq[Attribute]): PaneFunctions =
    PaneFunctions(columns, expressions, shown ++ results)

  private[this] def results: Seq[NamedExpression] =
    values.zip(output).map { case (value, column) => Alias(value, column.name)(column.exprId) }

  /** Whether what they hold depends on the order of the rows. */
  def isOrdered: Boolean = functions.exists(!_.deterministic)

  /** What EXPLAIN says of it. */
  def describe: String = expressions.map(_.sql).mkString(", ")
}

private[scalegate] object AggregateTerms {
  def apply(functions: Seq[AggregateExpression], results: Seq[NamedExpression]): AggregateTerms =
    AggregateTerms(
      functions.map(_.aggregateFunction),
      functions.map(_.filter),
      functions.map(_.resultId),
      results.map {
        case named: Alias => named.child
        case column => column
      },
      results.map(_.toAttribute)
    )
}

package io.scalegate.spark.join.aggregate.grouped

import org.apache.spark.sql.catalyst.expressions.aggregate.{
  AggregateExpression,
  AggregateFunction,
  Average,
  Count,
  First,
  Max,
  Min,
  Sum
}
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  AttributeSet,
  Cast,
  Coalesce,
  Divide,
  EqualTo,
  Expression,
  Greatest,
  If,
  Literal
}
import org.apache.spark.sql.types.{DecimalType, DoubleType, NumericType}

/** How a function over pairs comes of functions over the right rows of each left row. A rule makes one, and keeps none.
  *
  * @param ofRows
  *   over the right rows of a left one
  * @param ofGroup
  *   over left rows with the results of `ofRows`
  */
final private[aggregate] case class GroupedFunction(
    ofRows: Seq[AggregateExpression],
    ofGroup: Expression
)

private[aggregate] object GroupedFunction {

  /** The right rows of a left one. */
  def pairs: AggregateExpression = Count(Literal(1)).toAggregateExpression()

  /** @param pairs
    *   how many right rows a left one has
    * @param isOuter
    *   whether a left row without right rows makes a pair, whose right columns are NULL
    */
  def apply(
      asked: AggregateExpression,
      pairs: AggregateExpression,
      isOuter: Boolean,
      left: AttributeSet,
      right: AttributeSet
  ): Option[GroupedFunction] = {
    val children = asked.aggregateFunction.children
    def isOf(columns: AttributeSet) = (children ++ asked.filter).forall(e =>
      e.deterministic && e.references.subsetOf(columns)
    )
    if (asked.isDistinct) None
    else
      asked.aggregateFunction match {
        case Count(arguments)
            if asked.filter.isEmpty && arguments.forall(_.foldable) && !arguments.exists(
              isNull
            ) =>
          Some(ofAllPairs(pairs, isOuter))
        case _: Min | _: Max | _: First if children.nonEmpty && isOf(left) =>
          Some(GroupedFunction(Nil, asked))
        case function
            if isOf(right) && (asked.filter.nonEmpty || !children.forall(_.foldable)) &&
              (!isOuter || asked.filter.isEmpty && children.forall(isNullWithoutRow)) =>
          ofRight(asked, function)
        case _ => None
      }
  }

  private[this] def ofAllPairs(pairs: AggregateExpression, isOuter: Boolean) = {
    val number = pairs.resultAttribute
    val shown = if (isOuter) Greatest(Seq(number, Literal(1L))) else number
    GroupedFunction(Seq(pairs), total(shown))
  }

  private[this] def ofRight(
      asked: AggregateExpression,
      function: AggregateFunction
  ): Option[GroupedFunction] = {
    def again(f: AggregateFunction) = f.toAggregateExpression(isDistinct = false, asked.filter)
    function match {
      case count: Count =>
        val part = again(count)
        Some(GroupedFunction(Seq(part), total(part.resultAttribute)))
      case _: Sum | _: Min | _: Max =>
        val part = again(function)
        val whole = function.withNewChildren(Seq(part.resultAttribute))
          .asInstanceOf[AggregateFunction].toAggregateExpression()
        val isAlike = whole.dataType == asked.dataType
        val result = if (isAlike) whole else Cast(whole, asked.dataType)
        Some(GroupedFunction(Seq(part), result))
      case average: Average if isPlainNumber(average.child) =>
        val sum = again(new Sum(Cast(average.child, DoubleType)))
        val count = again(Count(average.child))
        val number = total(count.resultAttribute)
        val value = Divide(
          new Sum(sum.resultAttribute).toAggregateExpression(),
          Cast(number, DoubleType)
        )
        val none = Literal(null, DoubleType)
        Some(GroupedFunction(Seq(sum, count), If(EqualTo(number, Literal(0L)), none, value)))
      case _ => None
    }
  }

  private[this] def total(counts: Expression): Expression =
    Coalesce(Seq(new Sum(counts).toAggregateExpression(), Literal(0L)))

  private[this] def isNull(e: Expression) = e.eval() == null

  private[this] def isPlainNumber(e: Expression) = e.dataType match {
    case _: DecimalType => false
    case _: NumericType => true
    case _ => false
  }

  /** Whether a function's argument is NULL where a left row has no right one. */
  private[this] def isNullWithoutRow(e: Expression): Boolean = e match {
    case _: Attribute => true
    case cast: Cast => isNullWithoutRow(cast.child)
    case _ => false
  }
}

package io.scalegate.spark.window

import org.apache.spark.sql.catalyst.expressions.aggregate.{
  AggregateExpression,
  DeclarativeAggregate,
  Final,
  ImperativeAggregate
}
import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  And,
  Attribute,
  AttributeSet,
  Expression,
  IsNotNull,
  NamedExpression,
  RowOrdering
}
import org.apache.spark.sql.catalyst.planning.{PhysicalAggregation, PhysicalOperation}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.scalegate.GroupingKeys

/** An aggregate over sliding windows that panes can compute: grouped by the window and any keys, by functions that
  * Spark merges partial results of. Read off the plan by rules and strategies, and not kept.
  *
  * @param keys
  *   without the window
  * @param window
  *   the window's column as `results` have it
  * @param having
  *   conditions on keys and window that the optimizer moved here from above
  * @param results
  *   over keys, window and the functions' results
  */
final case class SlidingAggregate(
    rows: PaneRows,
    keys: Seq[NamedExpression],
    window: Attribute,
    functions: Seq[AggregateExpression],
    having: Option[Expression],
    results: Seq[NamedExpression]
) {
  def windows: TimeWindows = rows.windows

  /** What is computed, with the keys in the form in which they are compared, of partial results. */
  def terms(keys: Seq[NamedExpression]): PaneTerms = PaneTerms(
    windows.by,
    keys.map(_.toAttribute),
    functions.map(_.copy(mode = Final, filter = None)),
    having
  )
}

object SlidingAggregate {
  def unapply(plan: LogicalPlan): Option[SlidingAggregate] = plan match {
    case PhysicalAggregation(
          grouping,
          functions,
          results,
          PhysicalOperation(fields, filters, windows: TimeWindows)
        ) if functions.forall(mergeable) =>
      from(windows, fields, filters, grouping, functions, results)
    case _ => None
  }

  private[this] def from(
      windows: TimeWindows,
      fields: Seq[NamedExpression],
      filters: Seq[Expression],
      grouping: Seq[NamedExpression],
      functions: Seq[AggregateExpression],
      results: Seq[NamedExpression]
  ): Option[SlidingAggregate] = {
    val own = AttributeSet(windows.window)
    val (ofWindow, others) = fields.partition(_.references.contains(windows.window))
    val names = AttributeSet(ofWindow.map(_.toAttribute))
    val (byWindow, keys) = grouping.partition(_.references.exists(names.contains))
    // Of a key with equals a filter of rows could not be one of groups.
    val passed = AttributeSet(keys.collect {
      case a: Attribute if !GroupingKeys.haveEquals(a.dataType) => a
    }) -- names
    val (above, below) = filters.partition(_.references.contains(windows.window))
    for {
      window <- byWindow match {
        case Seq(only: Attribute) => Some(only)
        case _ => None
      }
      if ofWindow.forall(isWindow(_, windows.window)) &&
        !functions.exists(_.references.exists(names.contains)) &&
        RowOrdering.isOrderable(keys.map(_.toAttribute)) &&
        above.forall(c => c.deterministic && c.references.subsetOf(own ++ passed))
    } yield {
      val pane = Alias(PaneStart(windows.time, windows.by), "pane")()
      val known = if (windows.kept) below else below :+ IsNotNull(windows.time)
      SlidingAggregate(
        PaneRows(windows, others :+ pane, known.reduceOption(And.apply), pane.toAttribute),
        keys,
        window,
        functions,
        above.reduceOption(And.apply).map(_.transform {
          case a: Attribute if a.exprId == windows.window.exprId => window
        }),
        results
      )
    }
  }

  private[this] def isWindow(field: NamedExpression, window: Attribute): Boolean = field match {
    case a: Attribute => a.exprId == window.exprId
    case Alias(a: Attribute, _) => a.exprId == window.exprId
    case _ => false
  }

  /** Not DISTINCT, whose partial results do not merge; and none of another value each time, which Spark draws anew
    * for each window.
    */
  private[scalegate] def mergeable(function: AggregateExpression): Boolean =
    !function.isDistinct && function.filter.forall(_.deterministic) &&
      function.aggregateFunction.children.forall(_.deterministic) &&
      (function.aggregateFunction match {
        case _: DeclarativeAggregate | _: ImperativeAggregate => true
        case _ => false
      })
}

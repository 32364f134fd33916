package io.scalegate.spark.window

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, NamedExpression}

/** The rows of an aggregate over sliding windows.
  *
  * @param fields
  *   what keys and functions are over and the column `pane`, over the rows that come to `windows`
  * @param condition
  *   on these rows
  */
final case class PaneRows(
    windows: TimeWindows,
    fields: Seq[NamedExpression],
    condition: Option[Expression],
    pane: Attribute
)

package io.scalegate.spark.window.design

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/** A tuple's payload: copies of a row, or a pane's partial result, and its key, both made by the task's thread. */
final private[window] class DesignRow(val key: UnsafeRow, val row: UnsafeRow)

package io.scalegate.spark.join.aggregate

import org.apache.spark.sql.catalyst.expressions.{Attribute, UnsafeRow}

import io.scalegate.panes.RowStates
import io.scalegate.spark.rows.AttributeReader
import io.scalegate.spark.window.partial.{
  ObjectAggregation,
  PaneFunctions,
  PanePartials,
  PaneResults,
  PaneUpdates
}

/** Partial results of right rows, and the rows that are made of them. One thread, the task's.
  *
  * @param time
  *   reads a right row's time, which is not NULL
  */
sealed abstract private[aggregate] class RightRowStates(
    partition: Int,
    functions: PaneFunctions,
    time: AttributeReader
) extends RowStates[UnsafeRow, UnsafeRow] {
  protected val partials: PanePartials = PanePartials(partition, functions)
  private[this] val results = PaneResults(partition, functions, partials)

  /** That of no rows. */
  protected def empty: UnsafeRow

  /** Whether partial results stay as small as they begin. */
  def areSmall: Boolean

  final override def timeOf(row: UnsafeRow): Long = {
    time.read(row)
    time.keys(0)
  }

  final override def changeable(state: UnsafeRow): UnsafeRow = partials.changeable(state)
  final override def mergeInto(older: UnsafeRow, newer: UnsafeRow): UnsafeRow =
    partials.mergeInto(older, newer)
  final override def bytesOf(state: UnsafeRow): Int = partials.bytesOf(state)

  /** The left row with the results of no rows, valid until the next is asked for. */
  final def result(left: UnsafeRow): UnsafeRow = results.row(left, empty, null)

  /** The same of rows with these partial results, of which `newer` may be null. */
  final def result(left: UnsafeRow, older: UnsafeRow, newer: UnsafeRow): UnsafeRow =
    results.row(left, older, newer)
}

private[aggregate] object RightRowStates {

  /** @param functions
    *   whose grouping is the left row's columns
    */
  def apply(
      partition: Int,
      functions: PaneFunctions,
      input: Seq[Attribute],
      time: AttributeReader
  ): RightRowStates =
    if (functions.fixed) new FixedStates(partition, functions, input, time)
    else new ObjectStates(partition, functions, input, time)

  final private class FixedStates(
      partition: Int,
      functions: PaneFunctions,
      input: Seq[Attribute],
      time: AttributeReader
  ) extends RightRowStates(partition, functions, time) {
    private[this] val updates = new PaneUpdates(partition, functions, input)

    override protected val empty: UnsafeRow = functions.initial
    override def areSmall: Boolean = true

    override def stateOf(row: UnsafeRow): UnsafeRow = addTo(empty.copy(), row)

    override def addTo(state: UnsafeRow, row: UnsafeRow): UnsafeRow = {
      updates.add(state, row)
      state
    }
  }

  final private class ObjectStates(
      partition: Int,
      functions: PaneFunctions,
      input: Seq[Attribute],
      time: AttributeReader
  ) extends RightRowStates(partition, functions, time) {
    private[this] val objects = ObjectAggregation.updating(partition, functions, input)

    override protected val empty: UnsafeRow = {
      objects.begin()
      objects.partial()
    }
    override def areSmall: Boolean = false

    override def stateOf(row: UnsafeRow): UnsafeRow = {
      objects.begin(row)
      objects.partial()
    }

    override def addTo(state: UnsafeRow, row: UnsafeRow): UnsafeRow =
      partials.mergeInto(state, stateOf(row))
  }
}

package io.scalegate.spark.aggregate

import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}

/** A task's panes, one at a time, those of a key in ascending order. What tasks before the exchange had of one pane
  * is merged here.
  */
final private[aggregate] class PaneReader(
    rows: KeyRuns,
    of: PaneWindows,
    partials: PanePartials
) {
  private[this] val paneAt = of.keys.size
  private[this] val partialOf = UnsafeProjection.create(of.input.drop(paneAt + 1), of.input)
  private[this] var more = rows.advance()
  private[this] var mergeCount = 0L
  private[this] var paneCount = 0L

  /** The pane's keys, one object for all panes that have them; null when there are no more panes. */
  var key: UnsafeRow = _
  var start = 0L
  var partial: UnsafeRow = _

  advance()

  /** Panes read so far. */
  def panes: Long = paneCount

  /** Merges since the beginning. */
  def merges: Long = mergeCount

  /** Goes on to the next pane. */
  def advance(): Unit =
    if (!more) key = null
    else {
      key = rows.key
      start = rows.row.getLong(paneAt)
      partial = partialOf(rows.row).copy()
      paneCount += 1
      more = rows.advance()
      if (goesOn) mergeRest()
    }

  /** Whether the next row is of the same pane. */
  private[this] def goesOn: Boolean =
    more && (rows.key eq key) && rows.row.getLong(paneAt) == start

  private[this] def mergeRest(): Unit = {
    partials.begin(partial)
    while (goesOn) {
      partials.add(partialOf(rows.row))
      mergeCount += 1
      more = rows.advance()
    }
    partial = partials.result()
  }
}

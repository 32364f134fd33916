package io.scalegate.spark.aggregate

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  InterpretedOrdering,
  UnsafeProjection,
  UnsafeRow
}
import org.apache.spark.sql.catalyst.util.UnsafeRowUtils

/** A task's panes, one at a time, of rows that are sorted by keys and pane. What tasks before the exchange had of one
  * pane is merged here.
  *
  * @param input
  *   keys, the pane and the partial results' columns, in this order
  * @param keys
  *   how many of `input` are keys
  */
final private[aggregate] class PaneReader(
    rows: Iterator[InternalRow],
    input: Seq[Attribute],
    keys: Int,
    merge: (UnsafeRow, UnsafeRow) => UnsafeRow
) {
  private[this] val keysOf = UnsafeProjection.create(input.take(keys), input)
  private[this] val partialOf = UnsafeProjection.create(input.drop(keys + 1), input)
  private[this] val same: (UnsafeRow, UnsafeRow) => Boolean = {
    val types = input.take(keys).map(_.dataType)
    if (types.forall(UnsafeRowUtils.isBinaryStable(_))) _ == _
    else {
      val ordering = InterpretedOrdering.forSchema(types)
      (a, b) => ordering.compare(a, b) == 0
    }
  }

  private[this] var nextKey: UnsafeRow = _
  private[this] var nextStart = 0L
  private[this] var nextPartial: UnsafeRow = _
  private[this] var mergeCount = 0L
  private[this] var paneCount = 0L

  /** The pane's keys, one object for all panes that have them; null when there are no more panes. */
  var key: UnsafeRow = _
  var start = 0L
  var partial: UnsafeRow = _

  if (rows.hasNext) keep(rows.next())
  advance()

  /** Panes read so far. */
  def panes: Long = paneCount

  /** Merges since the beginning. */
  def merges: Long = mergeCount

  /** Goes on to the next pane. */
  def advance(): Unit = {
    key = nextKey
    start = nextStart
    partial = nextPartial
    if (key ne null) {
      paneCount += 1
      readPane()
    }
  }

  private[this] def readPane(): Unit = {
    var more = true
    while (more)
      if (!rows.hasNext) {
        nextKey = null
        more = false
      } else {
        val row = rows.next()
        more = row.getLong(keys) == start && same(keysOf(row), key)
        if (more) {
          partial = merge(partial, partialOf(row))
          mergeCount += 1
        } else keep(row)
      }
  }

  private[this] def keep(row: InternalRow): Unit = {
    val found = keysOf(row)
    if ((nextKey eq null) || !same(found, nextKey)) nextKey = found.copy()
    nextStart = row.getLong(keys)
    nextPartial = partialOf(row).copy()
  }
}

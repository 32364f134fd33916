package io.scalegate.spark.window.slide

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  InterpretedOrdering,
  UnsafeProjection,
  UnsafeRow
}
import org.apache.spark.sql.catalyst.util.UnsafeRowUtils

/** Sorted rows of panes, all of one key before those of the next, each key's in ascending order of the panes.
  *
  * One thread, the task's. It holds the rows of keys whose hashes are equal, while the first of them is read.
  *
  * @param hash
  *   given where the rows come in the order of it and panes: then those of keys with equal hashes alternate, and all
  *   but the first key's are kept until it is done. Otherwise they come in the order of keys and panes.
  */
final private[scalegate] class KeyRuns(
    rows: Iterator[InternalRow],
    task: PaneWindowsTask,
    hash: Option[UnsafeRow => Long]
) {
  private[this] val keysOf = UnsafeProjection.create(task.keys, task.input)
  private[this] val same: (UnsafeRow, UnsafeRow) => Boolean = {
    val types = task.keys.map(_.dataType)
    if (types.forall(UnsafeRowUtils.isBinaryStable(_))) _ == _
    else {
      val ordering = InterpretedOrdering.forSchema(types)
      (a, b) => ordering.compare(a, b) == 0
    }
  }

  /** Rows of other keys with the current hash, by key. */
  private[this] val aside = mutable.LinkedHashMap.empty[UnsafeRow, mutable.ArrayBuffer[UnsafeRow]]
  private[this] var set: Iterator[UnsafeRow] = Iterator.empty

  /** The first row of the next hash, when rows that were kept come before it. */
  private[this] var held: InternalRow = _

  /** The row's keys, one object for all rows that have them. */
  var key: UnsafeRow = _

  /** Valid until the next call of `advance`. */
  var row: InternalRow = _

  /** Goes on to the next row; false when there is none. */
  def advance(): Boolean =
    if (set.hasNext) replay(set.next())
    else if (held ne null) {
      row = held
      held = null
      key = keysOf(row).copy()
      true
    } else read()

  private[this] def read(): Boolean = {
    row = null
    while ((row eq null) && rows.hasNext) {
      val next = rows.next()
      val found = keysOf(next)
      if ((key ne null) && same(found, key)) row = next
      else if ((key ne null) && hash.exists(hashOf => hashOf(found) == hashOf(key)))
        aside.getOrElseUpdate(found.copy(), mutable.ArrayBuffer.empty) +=
          next.asInstanceOf[UnsafeRow].copy()
      else if (aside.isEmpty) {
        key = found.copy()
        row = next
      } else {
        held = next
        release()
      }
    }
    if ((row eq null) && aside.nonEmpty) release()
    row ne null
  }

  /** Begins with the rows that were kept. */
  private[this] def release(): Unit = {
    set = aside.valuesIterator.flatten.toVector.iterator
    aside.clear()
    replay(set.next())
  }

  private[this] def replay(next: UnsafeRow): Boolean = {
    val found = keysOf(next)
    if (!same(found, key)) key = found.copy()
    row = next
    true
  }
}

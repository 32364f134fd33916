package io.scalegate.spark.window.slide

import org.apache.spark.SparkEnv
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Ascending,
  RowOrdering,
  SortOrder,
  UnsafeProjection,
  UnsafeRow
}
import org.apache.spark.sql.catalyst.util.UnsafeRowUtils
import org.apache.spark.sql.execution.UnsafeExternalRowSorter
import org.apache.spark.sql.execution.UnsafeExternalRowSorter.PrefixComputer
import org.apache.spark.sql.types.{StructField, StructType}
import org.apache.spark.util.collection.unsafe.sort.PrefixComparators

import io.scalegate.spark.rows.UnsafeRows

/** Brings each key's panes of a task together, in ascending order, with Spark's sorter, which spills what the task's
  * memory does not hold.
  *
  * Blocks of panes ([[PaneBlock]]) are sorted as panes are, by their numbers.
  *
  * Spark's own sort of keys and pane compares rows: a sort by one number of 64 bits is a radix sort, several times as
  * fast. The number has a hash of the keys above and the pane's number among the panes below, so keys come in the
  * order of their hashes, and of keys that share one the panes alternate ([[KeyRuns]] parts them). Where the panes
  * of a task lie too far apart for the bits that are theirs, and for keys that are equal without having equal bytes,
  * the rows are sorted by keys and pane after all.
  *
  * Input contract: rows of `task.input`. Use within the running task; one thread.
  *
  * @param paneBits
  *   how many of the 64 are the pane's
  * @param hash
  *   of keys; more than 24 bits of it do not fit beside those of the panes
  */
final private[scalegate] class PaneSort(
    task: PaneWindowsTask,
    paneBits: Int = PaneSort.PaneBits,
    hash: UnsafeRow => Long = _.hashCode.toLong & PaneSort.HashMask
) {
  private[this] val keys = task.keys.size
  private[this] val half = 1L << (paneBits - 1)
  private[this] val schema = StructType(task.input.map(c => StructField(c.name, c.dataType)))
  private[this] val byBytes = task.keys.forall(k => UnsafeRowUtils.isBinaryStable(k.dataType))

  def apply(rows: Iterator[InternalRow]): KeyRuns = {
    val input = UnsafeRows(rows, task.input)
    if (!byBytes) exact(input)
    else {
      val numbers = new PaneNumbers
      val sorter = sorterBy(numbers, radix = true)
      input.foreach(sorter.insertRow(_))
      val sorted = sorter.sort()
      if (numbers.fit) new KeyRuns(sorted, task, Some(hash))
      else exact(UnsafeRows(sorted, task.input))
    }
  }

  private[this] def exact(rows: Iterator[InternalRow]): KeyRuns = {
    val sorter = sorterBy(NoPrefix, radix = false)
    UnsafeRows(rows, task.input).foreach(sorter.insertRow(_))
    new KeyRuns(sorter.sort(), task, None)
  }

  private[this] def sorterBy(prefix: PrefixComputer, radix: Boolean) = {
    val order = task.input.take(keys + 1).map(SortOrder(_, Ascending))
    UnsafeExternalRowSorter.create(
      schema,
      if (radix) PaneSort.Unordered else RowOrdering.create(order, task.input),
      PrefixComparators.LONG,
      prefix,
      SparkEnv.get.memoryManager.pageSizeBytes,
      radix
    )
  }

  /** Hashes and pane numbers, the latter counted from near the first pane's. */
  private[this] class PaneNumbers extends PrefixComputer {
    private[this] val keysOf = UnsafeProjection.create(task.input.take(keys), task.input)
    private[this] val result = new PrefixComputer.Prefix
    private[this] var base = 0L
    private[this] var any = false

    /** Whether the bits hold every number so far. */
    var fit = true

    override def computePrefix(row: InternalRow): PrefixComputer.Prefix = {
      val paneNumber =
        if (task.packed.isEmpty) task.by.paneNumber(row.getLong(keys)) else row.getLong(keys)
      if (!any) {
        any = true
        base = paneNumber
      }
      // Halved, the difference does not overflow.
      fit &&= Math.abs((paneNumber >> 1) - (base >> 1)) < half / 2 - 1
      val fromBase = (paneNumber - base + half) & (2 * half - 1)
      result.value = (hash(keysOf(row)) << paneBits) | fromBase
      result
    }
  }

  /** The same prefix for all rows. */
  private[this] object NoPrefix extends PrefixComputer {
    private[this] val result = new PrefixComputer.Prefix
    override def computePrefix(row: InternalRow): PrefixComputer.Prefix = result
  }
}

private[scalegate] object PaneSort {

  /** With slides of a millisecond these are 17 years. */
  private val PaneBits = 40

  private val HashMask = (1L << 24) - 1

  private val Unordered: Ordering[InternalRow] = (_, _) => 0
}

package io.scalegate.spark.rows

import org.apache.spark.SparkEnv
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  BindReferences,
  RowOrdering,
  SortOrder,
  SortPrefix,
  UnsafeProjection
}
import org.apache.spark.sql.execution.{
  RecordBinaryComparator,
  SortPrefixUtils,
  UnsafeExternalRowSorter
}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{StructField, StructType}
import org.apache.spark.util.collection.unsafe.sort.PrefixComparators

/** Spark's own sort of rows inside a task: what its memory does not hold is spilled, and what is left goes when the
  * task ends. It sorts one lot of rows after the other, on the task's thread.
  *
  * @param pageBytes
  *   of the memory that a sort takes at a time
  */
final private[scalegate] class TaskSort private (
    order: Seq[SortOrder],
    columns: Seq[Attribute],
    pageBytes: Long
) {
  private[this] val first = BindReferences.bindReference(order.head, columns)
  private[this] val prefix = SortPrefix(first)
  private[this] val prefixes = UnsafeProjection.create(Seq(prefix))
  private[this] val ordering = RowOrdering.create(order, columns)
  private[this] val isByPrefix = order.length == 1 && SQLConf.get.enableRadixSort &&
    SortPrefixUtils.canSortFullyWithPrefix(first)

  private[this] val computer = new UnsafeExternalRowSorter.PrefixComputer {
    private[this] val result = new UnsafeExternalRowSorter.PrefixComputer.Prefix
    override def computePrefix(row: InternalRow)
        : UnsafeExternalRowSorter.PrefixComputer.Prefix = {
      val value = prefixes(row)
      result.isNull = value.isNullAt(0)
      result.value = if (result.isNull) prefix.nullValue else value.getLong(0)
      result
    }
  }

  /** For one lot of rows. Its `cleanupResources` lets go of them; so does the end of the task. */
  def sorter(): UnsafeExternalRowSorter = UnsafeExternalRowSorter.create(
    TaskSort.schemaOf(columns),
    ordering,
    SortPrefixUtils.getPrefixComparator(first),
    computer,
    pageBytes,
    isByPrefix
  )
}

private[scalegate] object TaskSort {

  /** All rows of an input. */
  def apply(
      rows: Iterator[InternalRow],
      order: Seq[SortOrder],
      columns: Seq[Attribute]
  ): Iterator[InternalRow] =
    new TaskSort(order, columns, pageBytes).sorter().sort(UnsafeRows(rows, columns))

  /** Of many lots of rows, some of which are small. */
  def by(order: Seq[SortOrder], columns: Seq[Attribute]): TaskSort =
    new TaskSort(order, columns, math.min(pageBytes, SmallPage))

  /** In an order of the rows' bytes, which is the same whichever order they come in. */
  def byContent(rows: Iterator[InternalRow], columns: Seq[Attribute]): Iterator[InternalRow] = {
    val hashes = new UnsafeExternalRowSorter.PrefixComputer {
      private[this] val result = new UnsafeExternalRowSorter.PrefixComputer.Prefix
      override def computePrefix(row: InternalRow)
          : UnsafeExternalRowSorter.PrefixComputer.Prefix = {
        result.isNull = false
        result.value = row.hashCode.toLong
        result
      }
    }
    UnsafeExternalRowSorter
      .createWithRecordComparator(
        schemaOf(columns),
        () => new RecordBinaryComparator,
        PrefixComparators.LONG,
        hashes,
        pageBytes,
        false // a radix sort would look at the hashes alone
      )
      .sort(UnsafeRows(rows, columns))
  }

  private def schemaOf(columns: Seq[Attribute]): StructType =
    StructType(columns.map(c => StructField(c.name, c.dataType)))

  private[this] def pageBytes: Long = SparkEnv.get.memoryManager.pageSizeBytes

  /** A task may have 8192 pages: 32 GiB of these. */
  private[this] val SmallPage = 4L << 20
}

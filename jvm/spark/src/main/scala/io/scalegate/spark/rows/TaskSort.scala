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
import org.apache.spark.sql.types.{StructField, StructType}
import org.apache.spark.util.collection.unsafe.sort.PrefixComparators

/** Spark's own sort of a partition's rows inside a task: what its memory does not hold is spilled, and what is left
  * goes when the task ends. The sort runs on the task's thread.
  */
private[scalegate] object TaskSort {
  def apply(
      rows: Iterator[InternalRow],
      order: Seq[SortOrder],
      columns: Seq[Attribute]
  ): Iterator[InternalRow] = {
    val bound = BindReferences.bindReferences(order, columns)
    val prefix = SortPrefix(bound.head)
    val prefixes = UnsafeProjection.create(Seq(prefix))
    val computer = new UnsafeExternalRowSorter.PrefixComputer {
      private[this] val result = new UnsafeExternalRowSorter.PrefixComputer.Prefix
      override def computePrefix(row: InternalRow)
          : UnsafeExternalRowSorter.PrefixComputer.Prefix = {
        val value = prefixes(row)
        result.isNull = value.isNullAt(0)
        result.value = if (result.isNull) prefix.nullValue else value.getLong(0)
        result
      }
    }
    val sorter = UnsafeExternalRowSorter.create(
      schemaOf(columns),
      RowOrdering.create(order, columns),
      SortPrefixUtils.getPrefixComparator(bound.head),
      computer,
      SparkEnv.get.memoryManager.pageSizeBytes,
      false
    )
    sorter.sort(UnsafeRows(rows, columns))
  }

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
        SparkEnv.get.memoryManager.pageSizeBytes,
        false // a radix sort would look at the hashes alone
      )
      .sort(UnsafeRows(rows, columns))
  }

  private[this] def schemaOf(columns: Seq[Attribute]): StructType =
    StructType(columns.map(c => StructField(c.name, c.dataType)))
}

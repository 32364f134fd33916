package io.scalegate.spark.exec

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
import org.apache.spark.sql.execution.{SortPrefixUtils, UnsafeExternalRowSorter}
import org.apache.spark.sql.types.{StructField, StructType}

/** Spark's own sort of a partition's rows inside a task: what its memory does not hold is spilled, and what
  * is left goes when the task ends.
  */
private[exec] object TaskSort {
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
      StructType(columns.map(c => StructField(c.name, c.dataType))),
      RowOrdering.create(order, columns),
      SortPrefixUtils.getPrefixComparator(bound.head),
      computer,
      SparkEnv.get.memoryManager.pageSizeBytes,
      false
    )
    sorter.sort(UnsafeRows(rows, columns))
  }
}

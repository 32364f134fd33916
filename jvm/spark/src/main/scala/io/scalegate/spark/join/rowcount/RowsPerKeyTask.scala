package io.scalegate.spark.join.rowcount

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, RowOrdering, UnsafeProjection}

import io.scalegate.spark.join.operator.TimedReader
import io.scalegate.spark.join.{PartitionsJoinTask, TaskTerms}
import io.scalegate.spark.rows.UnsafeRows
import io.scalegate.stream.{Side, Sides}

/** One [[RowsPerKeyJoinExec]] as it travels to the executors.
  *
  * @param rows
  *   that each side's window holds
  */
final class RowsPerKeyTask(
    terms: TaskTerms,
    times: Sides[Expression],
    keys: Sides[Seq[Expression]],
    rows: Sides[Long]
) extends PartitionsJoinTask {

  /** Joins two inputs in the order of their keys, times and columns. */
  def join(l: Iterator[InternalRow], r: Iterator[InternalRow]): RowsPerKeyIterator = {
    val bands = terms.by.bands
    def sorted(side: Side, rows: Iterator[InternalRow]) = {
      val input = terms.inputs(side)
      new KeyedRows(
        UnsafeRows(rows, input.output),
        UnsafeProjection.create(keys(side), input.output),
        new TimedReader(times(side), input, bands, side)
      )
    }
    new RowsPerKeyIterator(
      terms.probing,
      rows,
      Sides(sorted(Side.R, l), sorted(Side.S, r)),
      bands :+ TimedReader.Usable,
      RowOrdering.createNaturalAscendingOrdering(keys.left.map(_.dataType)),
      terms.accepts
    )
  }
}

package io.scalegate.spark.join.batch

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.scalegate.SpillableRows

import io.scalegate.spark.join.{PairTest, PartitionsJoinTask, Probing}
import io.scalegate.spark.rows.UnsafeRows
import io.scalegate.stream.Sides

/** The join of two partitions by comparing all rows of one with all of the other, as it travels to the executors. It
  * needs the memory of one block: the build side is kept on disk, and read once for each block of probe rows.
  *
  * @param columns
  *   of the inputs
  * @param condition
  *   the whole of it, evaluated on every pair
  */
final class BlockLoopTask(
    probing: Probing,
    columns: Sides[Seq[Attribute]],
    condition: Expression
) extends PartitionsJoinTask {
  def join(l: Iterator[InternalRow], r: Iterator[InternalRow]): BlockLoopIterator = {
    val (probed, searched) = (columns(probing.side), columns(probing.side.opposite))
    val rows = Sides(l, r).zip(columns).map { case (input, output) => UnsafeRows(input, output) }
    val accepts = PairTest.predicate(condition, columns)
    new BlockLoopIterator(
      new PairTest(probing, probed.length, searched.length, Some(accepts)),
      rows(probing.side),
      SpillableRows.copyOf(rows(probing.side.opposite), searched.length)
    )
  }
}

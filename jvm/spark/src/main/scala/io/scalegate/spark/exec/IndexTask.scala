package io.scalegate.spark.exec

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, UnsafeRow}

import io.scalegate.stream.Side

/** Everything that travels to the executors for a join that indexes the side it does not probe with, whole, and
  * takes the other's rows as they come.
  *
  * @param left
  *   its bounded attributes, the key among them
  * @param unheld
  *   runs the join where the task's memory cannot hold that side
  */
final class IndexTask(
    probing: Probing,
    left: BoundedInput,
    right: BoundedInput,
    by: IndexBy,
    residual: Option[Expression],
    unheld: PartitionsJoinTask
) extends PartitionsJoinTask {
  private[this] def fromLeft = probing.side eq Side.R
  private[this] def held = if (fromLeft) right else left
  private[this] def streamed = if (fromLeft) left else right

  def join(l: Iterator[InternalRow], r: Iterator[InternalRow]): JoinedPairs = {
    val build = UnsafeRows(if (fromLeft) r else l, held.output)
    val memory = WindowMemory.ofTask(TaskContext.get())
    val rows = new HeldRows(reader(held), by, held.output.length, Expected, probing.unfound)
    if (fill(rows, build, memory)) lookup(if (fromLeft) l else r, rows)
    else {
      memory.release()
      val all = rows.drain() ++ rows.unmatchable ++ build
      if (fromLeft) unheld.join(l, all) else unheld.join(all, r)
    }
  }

  /** Holds all rows, or those that there is memory for; false when some are left. While the index is built
    * rows and attributes are held twice.
    */
  private[this] def fill(
      kept: HeldRows,
      rows: Iterator[UnsafeRow],
      memory: WindowMemory
  ): Boolean = {
    val store = new RowStore(held.output.length)
    var bytes = 0L
    var fits = true
    while (fits && rows.hasNext) {
      val row = rows.next()
      kept.add(row, store.copy(row))
      bytes += 2L * (row.getSizeInBytes + by.types.length * AttributeBytes)
      fits = memory.tryReserve(kept.size.toLong, bytes)
    }
    fits
  }

  private[this] def lookup(
      probes: Iterator[InternalRow],
      rows: HeldRows
  ): LookupJoinIterator =
    new LookupJoinIterator(
      probing,
      probes,
      reader(streamed),
      rows.index(probing.side.opposite),
      streamed.output.length,
      held.output.length,
      accepts(residual, left.output ++ right.output),
      rows.unmatchable
    )

  private[this] def reader(input: BoundedInput): AttributeReader =
    new AttributeReader(input.bounded, by.types, input.output)

  private[this] val Expected = 1024

  private[this] val AttributeBytes = 8
}

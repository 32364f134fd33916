package io.scalegate.spark.join.batch

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Ascending,
  Expression,
  RowOrdering,
  SortOrder,
  UnsafeProjection,
  UnsafeRow
}
import org.apache.spark.sql.scalegate.SpillableRows

import io.scalegate.spark.join.lookup.BlockLookupIterator
import io.scalegate.spark.join.{BoundedInput, KeptInput, PairTest, PartitionsJoinTask, TaskTerms}
import io.scalegate.spark.rows.{TaskSort, UnsafeRows, WindowMemory}
import io.scalegate.stream.Sides

/** A join that sweeps a window over both inputs, as it travels to the executors.
  *
  * @param keys
  *   by which the rows come sorted, and then by the first bounded attribute
  */
final class SweepTask(terms: TaskTerms, keys: Sides[Seq[Expression]]) extends PartitionsJoinTask {

  /** The same work on inputs whose rows come in any order. */
  def ofUnsorted: PartitionsJoinTask = (l, r) => {
    val rows = Sides(l, r).zip(keys.zip(terms.inputs)).map { case (rows, (sideKeys, input)) =>
      val order = (sideKeys :+ input.bounded.head).map(SortOrder(_, Ascending))
      TaskSort(rows, order, input.output)
    }
    swept(rows, sortedHere = true)
  }

  /** Joins the partition's sorted inputs; its memory goes back when the task ends. */
  def join(l: Iterator[InternalRow], r: Iterator[InternalRow]): SpillingSweepIterator =
    swept(Sides(l, r), sortedHere = false)

  private[this] def swept(
      rows: Sides[Iterator[InternalRow]],
      sortedHere: Boolean
  ): SpillingSweepIterator = {
    val memory = WindowMemory.ofTask(TaskContext.get())
    val test = terms.test
    val order = RowOrdering.createNaturalAscendingOrdering(keys.left.map(_.dataType))
    def sorted(
        rows: Iterator[InternalRow],
        sideKeys: Seq[Expression],
        input: BoundedInput,
        whole: Boolean
    ) = new SortedSide(
      UnsafeRows(rows, input.output),
      UnsafeProjection.create(sideKeys, input.output),
      order,
      terms.reader(input),
      whole
    )
    val probes =
      sorted(terms.probeOf(rows), terms.probeOf(keys), terms.probe, terms.probing.unmatched)
    val build = sorted(terms.buildOf(rows), terms.buildOf(keys), terms.build, whole = false)
    new SpillingSweepIterator(
      test,
      new SweepJoinIterator(test, probes, build, terms.by.bands, memory, sortedHere),
      inBlocks(_, _, test, memory),
      memory
    )
  }

  private[this] def inBlocks(
      probes: Iterator[UnsafeRow],
      kept: SpillableRows,
      test: PairTest,
      memory: WindowMemory
  ): BlockLookupIterator =
    new BlockLookupIterator(
      test,
      probes,
      terms.reader(terms.probe),
      new KeptInput(() => kept.iterator, terms.reader(terms.build)),
      terms.by,
      memory
    )
}

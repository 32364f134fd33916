package io.scalegate.spark.join.batch

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Ascending, Expression, SortOrder, UnsafeRow}
import org.apache.spark.sql.scalegate.SpillableRows

import io.scalegate.spark.join.lookup.{BlockLookupIterator, BlockLookupTask}
import io.scalegate.spark.join.{BoundedInput, PairTest, PartitionsJoinTask, TaskTerms}
import io.scalegate.spark.rows.{TaskSort, UnsafeRows, WindowMemory}
import io.scalegate.stream.Sides

/** A join of partitions whose rows have equal keys and lie within bounds, as it travels to the executors. It goes key by
  * key, and sweeps a window over the rows of a key that has many.
  *
  * @param keys
  *   by which the rows come sorted
  * @param above
  *   how many build rows of a key are many
  */
final class SweepTask(terms: TaskTerms, keys: Sides[Seq[Expression]], above: Int)
    extends PartitionsJoinTask {

  /** The same work on inputs whose rows come in any order. */
  def ofUnsorted: PartitionsJoinTask = (l, r) => {
    val rows = Sides(l, r).zip(keys.zip(terms.inputs)).map { case (rows, (sideKeys, input)) =>
      TaskSort(rows, sideKeys.map(SortOrder(_, Ascending)), input.output)
    }
    byKey(rows, sortedHere = true)
  }

  /** Joins the partition's sorted inputs; its memory goes back when the task ends. */
  def join(l: Iterator[InternalRow], r: Iterator[InternalRow]): KeyedJoinIterator =
    byKey(Sides(l, r), sortedHere = false)

  private[this] def byKey(
      rows: Sides[Iterator[InternalRow]],
      sortedHere: Boolean
  ): KeyedJoinIterator = {
    val memory = WindowMemory.ofTask(TaskContext.get())
    val test = terms.test
    def keyed(
        rows: Iterator[InternalRow],
        sideKeys: Seq[Expression],
        input: BoundedInput,
        whole: Boolean
    ) = new KeyedSide(
      UnsafeRows(rows, input.output),
      GroupKey(sideKeys, input.output),
      terms.reader(input),
      whole
    )
    val probes =
      keyed(terms.probeOf(rows), terms.probeOf(keys), terms.probe, terms.probing.unmatched)
    val build = keyed(terms.buildOf(rows), terms.buildOf(keys), terms.build, whole = false)
    new KeyedJoinIterator(
      test,
      new KeyGroupIterator(
        test,
        probes,
        build,
        terms.by.bands,
        GroupKey(terms.buildOf(keys), terms.build.output),
        above
      ),
      new SortedKey(terms, test, memory),
      inBlocks(_, _, test, memory),
      memory,
      sortedHere
    )
  }

  private[this] def inBlocks(
      probes: Iterator[UnsafeRow],
      kept: SpillableRows,
      test: PairTest,
      memory: WindowMemory
  ): BlockLookupIterator = BlockLookupTask.join(terms, test, probes, () => kept.iterator, memory)
}

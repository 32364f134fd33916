package io.scalegate.spark.join.lookup

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.scalegate.SpillableRows

import io.scalegate.spark.join.{KeptInput, PairTest, PartitionsJoinTask, TaskTerms}
import io.scalegate.spark.rows.{UnsafeRows, WindowMemory}
import io.scalegate.stream.Sides

/** A join of two partitions that indexes the probe rows a block at a time, as it travels to the executors: the build
  * rows are kept on disk, and each is looked up in each block.
  */
final class BlockLookupTask(terms: TaskTerms) extends PartitionsJoinTask {
  import terms.{build, probe}

  def join(l: Iterator[InternalRow], r: Iterator[InternalRow]): BlockLookupIterator = {
    val kept = SpillableRows.copyOf(
      UnsafeRows(terms.buildOf(Sides(l, r)), build.output),
      build.output.length
    )
    BlockLookupTask.join(
      terms,
      terms.test,
      UnsafeRows(terms.probeOf(Sides(l, r)), probe.output),
      () => kept.iterator,
      WindowMemory.ofTask(TaskContext.get())
    )
  }
}

private[join] object BlockLookupTask {

  /** @param kept
    *   reads the build rows once more
    */
  def join(
      terms: TaskTerms,
      test: PairTest,
      probes: Iterator[UnsafeRow],
      kept: () => Iterator[UnsafeRow],
      memory: WindowMemory
  ): BlockLookupIterator = new BlockLookupIterator(
    test,
    probes,
    terms.reader(terms.probe),
    new KeptInput(kept, terms.reader(terms.build)),
    terms.by,
    memory
  )
}

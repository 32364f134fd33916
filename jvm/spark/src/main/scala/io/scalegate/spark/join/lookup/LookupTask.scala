package io.scalegate.spark.join.lookup

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.BindReferences

import io.scalegate.spark.join.{JoinedPairs, TaskTerms}
import io.scalegate.spark.rows.{IndexBy, UnsafeRows, WindowMemory}
import io.scalegate.stream.Sides

/** A join with rows that are broadcast, as it travels to the executors. Where the executor has no memory for their
  * index, it joins block by block.
  */
final class LookupTask(terms: TaskTerms) extends Serializable {
  import terms.{build, probe}

  /** Joins the rows of a partition with the packed rows that were broadcast. */
  def join(probes: Iterator[InternalRow], packed: Array[InternalRow]): JoinedPairs = {
    val attributes =
      build.bounded.map(BindReferences.bindReference(_, build.output).canonicalized)
    val use = IndexUse(attributes, terms.by, terms.buildSide)
    BroadcastIndexes.getOrBuild(packed, use, TaskContext.get(), built(packed)) match {
      case Some(index) =>
        new LookupJoinIterator(terms.test, probes, terms.reader(probe), index)
      case None => inBlocks(probes, packed)
    }
  }

  private[this] def inBlocks(
      probes: Iterator[InternalRow],
      packed: Array[InternalRow]
  ): JoinedPairs = terms.by match {
    case nearest: IndexBy.Nearest =>
      val both =
        Sides.bySide(terms.probing.side, probes, PackedRows(packed, build.output.length))
      new NearestBlocksTask(terms, nearest).join(both.left, both.right)
    case _ => pairsInBlocks(probes, packed)
  }

  private[this] def built(packed: Array[InternalRow]): Option[BuiltIndex] =
    new PackedIndex(
      packed,
      build.output.length,
      () => terms.reader(build),
      terms.by,
      BroadcastIndexes.reserve
    ).build(terms.buildSide)

  private[this] def pairsInBlocks(
      probes: Iterator[InternalRow],
      packed: Array[InternalRow]
  ): BlockLookupIterator =
    BlockLookupTask.join(
      terms,
      terms.test,
      UnsafeRows(probes, probe.output),
      () => PackedRows(packed, build.output.length),
      WindowMemory.ofTask(TaskContext.get())
    )
}

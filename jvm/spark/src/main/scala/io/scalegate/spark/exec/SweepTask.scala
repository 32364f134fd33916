package io.scalegate.spark.exec

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Ascending,
  Attribute,
  BasePredicate,
  Expression,
  RowOrdering,
  SortOrder,
  UnsafeProjection,
  UnsafeRow
}
import org.apache.spark.sql.scalegate.SpillableRows

import io.scalegate.join.{AttributeType, Band}
import io.scalegate.stream.Side

/** What a task has to know of one input of the join: how to read its keys and its bounded attributes. */
final class SideInput(
    val keys: Seq[Expression],
    bounded: Seq[Expression],
    val output: Seq[Attribute]
) extends Serializable {

  /** The order that a sweep reads the rows in. */
  def order: Seq[SortOrder] = (keys :+ bounded.head).map(SortOrder(_, Ascending))

  def reader(types: IndexedSeq[AttributeType]): AttributeReader =
    new AttributeReader(bounded, types, output)

  def inOrder(
      rows: Iterator[InternalRow],
      types: IndexedSeq[AttributeType],
      whole: Boolean
  ): SortedSide =
    new SortedSide(
      UnsafeRows(rows, output),
      UnsafeProjection.create(keys, output),
      reader(types),
      whole
    )
}

/** Everything that travels to the executors for one [[WindowJoinExec]]. */
final class SweepTask(
    probing: Probing,
    left: SideInput,
    right: SideInput,
    bands: IndexedSeq[Band],
    residual: Option[Expression]
) extends PartitionsJoinTask {

  /** The same work on inputs whose rows come in any order. */
  def ofUnsorted: PartitionsJoinTask = (l, r) =>
    swept(
      TaskSort(l, left.order, left.output),
      TaskSort(r, right.order, right.output),
      sortedHere = true
    )

  /** Joins the partition's sorted inputs; its memory goes back when the task ends. */
  def join(l: Iterator[InternalRow], r: Iterator[InternalRow]): SpillingSweepIterator =
    swept(l, r, sortedHere = false)

  private[this] def fromLeft = probing.side eq Side.R
  private[this] def probe = if (fromLeft) left else right
  private[this] def build = if (fromLeft) right else left
  private[this] def types = bands.map(_.attribute)

  private[this] def swept(
      l: Iterator[InternalRow],
      r: Iterator[InternalRow],
      sortedHere: Boolean
  ): SpillingSweepIterator = {
    val memory = WindowMemory.ofTask(TaskContext.get())
    val holds = accepts(residual, left.output ++ right.output)
    val sweep = new SweepJoinIterator(
      probing,
      probe.inOrder(if (fromLeft) l else r, types, probing.unmatched),
      build.inOrder(if (fromLeft) r else l, types, whole = false),
      bands,
      RowOrdering.createNaturalAscendingOrdering(left.keys.map(_.dataType)),
      probe.output.length,
      build.output.length,
      holds,
      memory,
      sortedHere
    )
    new SpillingSweepIterator(
      probing,
      sweep,
      build.output.length,
      inBlocks(_, _, holds, memory),
      memory
    )
  }

  private[this] def inBlocks(
      probes: Iterator[UnsafeRow],
      kept: SpillableRows,
      holds: Option[BasePredicate],
      memory: WindowMemory
  ): BlockLookupIterator =
    new BlockLookupIterator(
      probing,
      probes,
      probe.reader(types),
      new KeptInput(() => kept.iterator, build.reader(types)),
      IndexBy.Bands(bands),
      probe.output.length,
      build.output.length,
      holds,
      memory,
      TaskContext.get()
    )
}

package io.scalegate.spark.aggregate

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.aggregate.{
  AggregateExpression,
  AggregateMode,
  DeclarativeAggregate,
  Final,
  PartialMerge
}
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  GenericInternalRow,
  MutableProjection,
  NamedExpression,
  UnsafeProjection,
  UnsafeRow
}
import org.apache.spark.sql.execution.aggregate.AggregationIterator

/** The functions of an aggregate over panes, as they travel to the executors.
  *
  * @param grouping
  *   the keys, then the window
  * @param functions
  *   of mode Final
  * @param results
  *   over `grouping` and the functions' results
  */
final case class PaneFunctions(
    grouping: Seq[Attribute],
    functions: Seq[AggregateExpression],
    results: Seq[NamedExpression]
) {

  /** A partial result's columns. */
  def partial: Seq[Attribute] = functions.flatMap(_.aggregateFunction.inputAggBufferAttributes)

  /** Whether a partial result is of one size and can be changed in place. */
  private[aggregate] def fixed: Boolean =
    functions.forall(_.aggregateFunction.isInstanceOf[DeclarativeAggregate]) &&
      partial.forall(a => UnsafeRow.isMutable(a.dataType))
}

/** Merges partial results two at a time, as Spark merges them after an exchange: what goes in is in the form in which
  * it is exchanged, and stays as it is.
  *
  * It extends Spark's iterator for what that makes of aggregate functions, and gives no rows as an iterator.
  */
sealed abstract private[aggregate] class PaneMerge(
    partition: Int,
    of: PaneFunctions,
    mode: AggregateMode,
    grouping: Seq[Attribute]
) extends AggregationIterator(
      partition,
      grouping,
      of.partial ++ grouping,
      of.functions.map(_.copy(mode = mode)),
      of.functions.map(_.resultAttribute),
      0,
      of.results,
      MutableProjection.create(_, _)
    ) {
  private[this] val fixed = of.fixed
  private[this] val buffer: InternalRow = {
    val types = of.partial.map(_.dataType)
    val empty = new GenericInternalRow(types.size)
    if (fixed) UnsafeProjection.create(types.toArray).apply(empty) else empty
  }

  override def hasNext: Boolean = false
  override def next(): UnsafeRow = Iterator.empty.next()

  /** Both results in one, valid until the next call. */
  final protected def merged(older: UnsafeRow, newer: UnsafeRow): InternalRow = {
    buffer match {
      case row: UnsafeRow => row.copyFrom(older)
      case _ =>
        initializeBuffer(buffer)
        processRow(buffer, older)
    }
    if (newer ne null) processRow(buffer, newer)
    buffer
  }
}

/** Makes one partial result of two. */
final private[aggregate] class PanePartials(partition: Int, of: PaneFunctions)
    extends PaneMerge(partition, of.copy(results = Nil), PartialMerge, Nil) {
  private[this] val noKey = new UnsafeRow(0)

  /** The result of what `older` and `newer` are the results of, in this order; it is the caller's. */
  def merge(older: UnsafeRow, newer: UnsafeRow): UnsafeRow =
    merged(older, newer) match {
      case row: UnsafeRow => row.copy()
      case objects => generateOutput(noKey, objects).copy()
    }
}

/** Makes the rows of windows. */
final private[aggregate] class PaneResults(partition: Int, of: PaneFunctions)
    extends PaneMerge(partition, of, Final, of.grouping) {

  /** The row of a window, valid until the next is asked for.
    *
    * @param key
    *   the window's values of `grouping`
    * @param newer
    *   null where all of the window is in `older`
    */
  def row(key: UnsafeRow, older: UnsafeRow, newer: UnsafeRow): UnsafeRow =
    generateOutput(key, merged(older, newer))
}

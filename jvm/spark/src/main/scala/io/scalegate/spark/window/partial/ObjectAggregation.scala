package io.scalegate.spark.window.partial

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.aggregate.{
  AggregateMode,
  Final,
  Partial,
  PartialMerge
}
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  GenericInternalRow,
  MutableProjection,
  UnsafeRow
}
import org.apache.spark.sql.execution.aggregate.AggregationIterator

/** Makes partial results that hold objects, and merges them, as Spark does before an exchange and after it. One thread,
  * the task's; it holds one partial result.
  *
  * It extends Spark's iterator for what that makes of aggregate functions, and gives no rows as an iterator.
  */
final private[scalegate] class ObjectAggregation private (
    partition: Int,
    functions: PaneFunctions,
    mode: AggregateMode,
    grouping: Seq[Attribute],
    input: Seq[Attribute]
) extends AggregationIterator(
      partition,
      grouping,
      input,
      functions.functions.map(_.copy(mode = mode)),
      functions.functions.map(_.resultAttribute),
      0,
      functions.results,
      MutableProjection.create(_, _)
    ) {
  private[this] val buffer: InternalRow = new GenericInternalRow(functions.partial.size)
  private[this] val noKey = new UnsafeRow(0)

  override def hasNext: Boolean = false
  override def next(): UnsafeRow = Iterator.empty.next()

  /** Begins with the partial result of no rows. */
  def begin(): Unit = initializeBuffer(buffer)

  /** Begins with a row of the input. */
  def begin(row: UnsafeRow): Unit = {
    begin()
    add(row)
  }

  def add(row: UnsafeRow): Unit = processRow(buffer, row)

  /** What was begun, which is not begun any more, and is the caller's. */
  def partial(): UnsafeRow = output(noKey).copy()

  /** The same, or the functions' results, valid until the next are asked for. */
  def output(key: UnsafeRow): UnsafeRow = generateOutput(key, buffer)
}

private[scalegate] object ObjectAggregation {

  /** Makes partial results of rows with these columns. */
  def updating(
      partition: Int,
      functions: PaneFunctions,
      input: Seq[Attribute]
  ): ObjectAggregation =
    new ObjectAggregation(partition, functions.copy(results = Nil), Partial, Nil, input)

  /** Makes one partial result of several. */
  def merging(partition: Int, functions: PaneFunctions): ObjectAggregation =
    new ObjectAggregation(
      partition,
      functions.copy(results = Nil),
      PartialMerge,
      Nil,
      functions.partial
    )

  /** Makes rows of partial results, beside a key. */
  def results(partition: Int, functions: PaneFunctions): ObjectAggregation =
    new ObjectAggregation(
      partition,
      functions,
      Final,
      functions.grouping,
      functions.partial ++ functions.grouping
    )
}

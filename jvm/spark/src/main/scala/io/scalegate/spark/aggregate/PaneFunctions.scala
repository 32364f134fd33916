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
  EmptyRow,
  Expression,
  GenericInternalRow,
  If,
  JoinedRow,
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

  /** The partial result of no rows, of fixed size. */
  private[aggregate] def initial: UnsafeRow =
    UnsafeProjection.create(declared.flatMap(_.initialValues)).apply(EmptyRow)

  /** The columns of a partial result that is being made. */
  private[aggregate] def held: Seq[Attribute] =
    functions.flatMap(_.aggregateFunction.aggBufferAttributes)

  /** For each of them, where the size is fixed, its value when a row is added: over `held` and the row. */
  private[aggregate] def updated: Seq[Expression] =
    functions.zip(declared).flatMap { case (f, of) =>
      of.updateExpressions.zip(of.aggBufferAttributes).map { case (value, before) =>
        f.filter.fold(value)(If(_, value, before))
      }
    }

  private[this] def declared: Seq[DeclarativeAggregate] =
    functions.map(_.aggregateFunction.asInstanceOf[DeclarativeAggregate])

  /** A partial result whose columns are NULL: of fixed size, or one that holds objects. */
  private[aggregate] def empty: UnsafeRow =
    UnsafeProjection.create(partial.map(_.dataType).toArray).apply(emptyObjects)
  private[aggregate] def emptyObjects: InternalRow = new GenericInternalRow(partial.size)
}

/** Adds rows to partial results of fixed size. */
final private[aggregate] class PaneUpdates(partition: Int, of: PartialPanesTask) {
  private[this] val joined = new JoinedRow
  private[this] val update = {
    val made = MutableProjection.create(of.functions.updated, of.functions.held ++ of.input)
    made.initialize(partition)
    made
  }

  def add(result: UnsafeRow, row: InternalRow): Unit = {
    update.target(result)(joined(result, row))
    ()
  }
}

/** Merges partial results as Spark merges them after an exchange: what goes in is in the form in which it is exchanged,
  * and stays as it is.
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
  private[this] val buffer: InternalRow = if (fixed) of.empty else of.emptyObjects

  override def hasNext: Boolean = false
  override def next(): UnsafeRow = Iterator.empty.next()

  /** Begins with a partial result. */
  final def begin(partial: UnsafeRow): Unit =
    buffer match {
      case row: UnsafeRow => row.copyFrom(partial)
      case _ =>
        initializeBuffer(buffer)
        processRow(buffer, partial)
    }

  /** Merges the partial result of later rows into what was begun. */
  final def add(partial: UnsafeRow): Unit = processRow(buffer, partial)

  /** What was begun; that of objects is not begun any more. */
  final protected def merged: InternalRow = buffer
}

/** Makes one partial result of several. */
final private[aggregate] class PanePartials(partition: Int, of: PaneFunctions)
    extends PaneMerge(partition, of.copy(results = Nil), PartialMerge, Nil) {
  private[this] val noKey = new UnsafeRow(0)

  /** Of a partial result of fixed size. */
  val columns: Int = of.partial.size
  lazy val resultBytes: Int = of.empty.getSizeInBytes

  /** Merges the partial result of later rows into one of fixed size. */
  def mergeInto(older: UnsafeRow, newer: UnsafeRow): Unit = processRow(older, newer)

  /** Two in one, the older first. */
  def merge(older: UnsafeRow, newer: UnsafeRow): UnsafeRow = {
    begin(older)
    add(newer)
    result()
  }

  /** What was begun, which is the caller's. */
  def result(): UnsafeRow =
    merged match {
      case row: UnsafeRow => row.copy()
      case objects => generateOutput(noKey, objects).copy()
    }
}

/** Makes the rows of windows. */
final private[aggregate] class PaneResults(partition: Int, of: PaneFunctions)
    extends PaneMerge(partition, of, Final, of.grouping) {

  /** The row of a window of which what was begun is the result, valid until the next is asked for.
    *
    * @param key
    *   the window's values of `grouping`
    */
  def row(key: UnsafeRow): UnsafeRow = generateOutput(key, merged)
}

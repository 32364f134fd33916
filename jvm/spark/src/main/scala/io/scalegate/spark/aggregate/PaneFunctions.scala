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

  /** For each of them, where the size is fixed, its value when two are merged: over `held` and `partial`. */
  private[aggregate] def merged: Seq[Expression] = declared.flatMap(_.mergeExpressions)

  /** `results`, where the size is fixed, over `grouping` and `held`. */
  private[aggregate] def evaluated: Seq[Expression] = {
    val values = functions.zip(declared).map { case (f, of) =>
      f.resultAttribute.exprId -> of.evaluateExpression
    }.toMap
    results.map(_.transform { case a: Attribute => values.getOrElse(a.exprId, a) })
  }

  private[this] def declared: Seq[DeclarativeAggregate] =
    functions.map(_.aggregateFunction.asInstanceOf[DeclarativeAggregate])

  /** A partial result of fixed size whose columns are NULL. */
  private[aggregate] def empty: UnsafeRow =
    UnsafeProjection.create(partial.map(_.dataType).toArray)
      .apply(new GenericInternalRow(partial.size))
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

/** Makes one partial result of several: what goes in is in the form in which it is exchanged, and stays as it is. */
sealed abstract private[aggregate] class PanePartials {

  /** Begins with a partial result. */
  def begin(partial: UnsafeRow): Unit

  /** Merges the partial result of later rows into what was begun. */
  def add(partial: UnsafeRow): Unit

  /** What was begun, which is the caller's. */
  def result(): UnsafeRow

  /** Two in one, the older first. */
  def merge(older: UnsafeRow, newer: UnsafeRow): UnsafeRow = {
    begin(older)
    add(newer)
    result()
  }
}

private[aggregate] object PanePartials {
  def apply(partition: Int, of: PaneFunctions): PanePartials =
    if (of.fixed) new FixedPartials(partition, of) else new ObjectPartials(partition, of)
}

/** Partial results of fixed size. */
final private[aggregate] class FixedPartials(partition: Int, of: PaneFunctions)
    extends PanePartials {
  private[this] val merger = PaneMerger(partition, of)
  private[this] val buffer = of.empty

  /** What was begun, as it lies here. */
  def held: UnsafeRow = buffer

  val columns: Int = of.partial.size
  val resultBytes: Int = buffer.getSizeInBytes

  override def begin(partial: UnsafeRow): Unit = buffer.copyFrom(partial)
  override def add(partial: UnsafeRow): Unit = merger.merge(buffer, partial)
  override def result(): UnsafeRow = buffer.copy()

  /** Merges the partial result of later rows into one that is held. */
  def mergeInto(older: UnsafeRow, newer: UnsafeRow): Unit = merger.merge(older, newer)
}

/** Partial results that hold objects. */
final private class ObjectPartials(partition: Int, of: PaneFunctions) extends PanePartials {
  private[this] val objects =
    new ObjectMerge(partition, of.copy(results = Nil), PartialMerge, Nil)
  private[this] val noKey = new UnsafeRow(0)

  override def begin(partial: UnsafeRow): Unit = objects.begin(partial)
  override def add(partial: UnsafeRow): Unit = objects.add(partial)
  override def result(): UnsafeRow = objects.output(noKey).copy()
}

/** Makes the rows of windows. */
sealed abstract private[aggregate] class PaneResults {

  /** Begins with a partial result, and merges that of later rows. */
  def begin(partial: UnsafeRow): Unit
  def add(partial: UnsafeRow): Unit

  /** The row of a window of which what was begun is the result, valid until the next is asked for.
    *
    * @param key
    *   the window's values of `grouping`
    */
  def row(key: UnsafeRow): UnsafeRow
}

private[aggregate] object PaneResults {
  def apply(partition: Int, of: PaneFunctions): PaneResults =
    if (of.fixed) new FixedResults(partition, of) else new ObjectResults(partition, of)
}

final private class FixedResults(partition: Int, of: PaneFunctions) extends PaneResults {
  private[this] val partials = new FixedPartials(partition, of)
  private[this] val joined = new JoinedRow
  private[this] val project = {
    val made = UnsafeProjection.create(of.evaluated, of.grouping ++ of.held)
    made.initialize(partition)
    made
  }

  override def begin(partial: UnsafeRow): Unit = partials.begin(partial)
  override def add(partial: UnsafeRow): Unit = partials.add(partial)
  override def row(key: UnsafeRow): UnsafeRow = project(joined(key, partials.held))
}

final private class ObjectResults(partition: Int, of: PaneFunctions) extends PaneResults {
  private[this] val objects = new ObjectMerge(partition, of, Final, of.grouping)

  override def begin(partial: UnsafeRow): Unit = objects.begin(partial)
  override def add(partial: UnsafeRow): Unit = objects.add(partial)
  override def row(key: UnsafeRow): UnsafeRow = objects.output(key)
}

/** Merges partial results that hold objects as Spark merges them after an exchange.
  *
  * It extends Spark's iterator for what that makes of aggregate functions, and gives no rows as an iterator.
  */
final private class ObjectMerge(
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
  private[this] val buffer: InternalRow = new GenericInternalRow(of.partial.size)

  override def hasNext: Boolean = false
  override def next(): UnsafeRow = Iterator.empty.next()

  def begin(partial: UnsafeRow): Unit = {
    initializeBuffer(buffer)
    processRow(buffer, partial)
  }

  def add(partial: UnsafeRow): Unit = processRow(buffer, partial)

  /** What was begun, which is not begun any more. */
  def output(key: UnsafeRow): UnsafeRow = generateOutput(key, buffer)
}

package io.scalegate.spark.window.partial

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.aggregate.{
  AggregateExpression,
  DeclarativeAggregate
}
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  EmptyRow,
  Expression,
  If,
  InterpretedUnsafeProjection,
  JoinedRow,
  Literal,
  MutableProjection,
  NamedExpression,
  UnsafeProjection,
  UnsafeRow
}

import io.scalegate.panes.StateMerging

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
  private[scalegate] def fixed: Boolean =
    functions.forall(_.aggregateFunction.isInstanceOf[DeclarativeAggregate]) &&
      partial.forall(a => UnsafeRow.isMutable(a.dataType))

  /** The partial result of no rows, of fixed size. */
  private[scalegate] def initial: UnsafeRow =
    PaneFunctions.rowOf(declared.flatMap(_.initialValues))

  /** The columns of a partial result that is being made. */
  private[scalegate] def held: Seq[Attribute] =
    functions.flatMap(_.aggregateFunction.aggBufferAttributes)

  /** For each of them, where the size is fixed, its value when a row is added: over `held` and the row. */
  private[scalegate] def updated: Seq[Expression] =
    functions.zip(declared).flatMap { case (f, aggregate) =>
      aggregate.updateExpressions.zip(aggregate.aggBufferAttributes).map { case (value, before) =>
        f.filter.fold(value)(If(_, value, before))
      }
    }

  /** For each of them, where the size is fixed, its value when two are merged: over `held` and `partial`. */
  private[scalegate] def merged: Seq[Expression] = declared.flatMap(_.mergeExpressions)

  /** `results`, where the size is fixed, over `grouping` and `held`. */
  private[scalegate] def evaluated: Seq[Expression] = {
    val values = functions.zip(declared).map { case (f, aggregate) =>
      f.resultAttribute.exprId -> aggregate.evaluateExpression
    }.toMap
    results.map(_.transform { case a: Attribute => values.getOrElse(a.exprId, a) })
  }

  private[this] def declared: Seq[DeclarativeAggregate] =
    functions.map(_.aggregateFunction.asInstanceOf[DeclarativeAggregate])

  /** A partial result of fixed size whose columns are NULL. */
  private[scalegate] def empty: UnsafeRow =
    PaneFunctions.rowOf(partial.map(a => Literal(null, a.dataType)))
}

private[scalegate] object PaneFunctions {

  /** Of values without input. They are interpreted: a task needs them once. */
  private def rowOf(values: Seq[Expression]): UnsafeRow =
    InterpretedUnsafeProjection.createProjection(values).apply(EmptyRow)
}

/** Adds rows to partial results of fixed size. One thread, the task's. */
final private[scalegate] class PaneUpdates(
    partition: Int,
    functions: PaneFunctions,
    input: Seq[Attribute]
) {
  private[this] val joined = new JoinedRow
  private[this] val update = {
    val made = MutableProjection.create(functions.updated, functions.held ++ input)
    made.initialize(partition)
    made
  }

  def add(result: UnsafeRow, row: InternalRow): Unit = {
    update.target(result)(joined(result, row))
    ()
  }
}

/** Makes one partial result of several: what goes in is in the form in which it is exchanged. */
sealed abstract private[scalegate] class PanePartials extends StateMerging[UnsafeRow] {

  /** Begins with a partial result. */
  def begin(partial: UnsafeRow): Unit

  /** Merges the partial result of later rows into what was begun. */
  def add(partial: UnsafeRow): Unit

  /** What was begun, which is the caller's. */
  def result(): UnsafeRow

  /** Two in one, the older first; both stay as they are. */
  def merge(older: UnsafeRow, newer: UnsafeRow): UnsafeRow = {
    begin(older)
    add(newer)
    result()
  }

  final override def bytesOf(partial: UnsafeRow): Int = partial.getSizeInBytes
}

private[scalegate] object PanePartials {
  def apply(partition: Int, functions: PaneFunctions): PanePartials =
    if (functions.fixed) new FixedPartials(partition, functions)
    else new ObjectPartials(partition, functions)
}

/** Partial results of fixed size, which are merged where they lie. */
final private[scalegate] class FixedPartials(partition: Int, functions: PaneFunctions)
    extends PanePartials {
  private[this] val merger = PaneMerger(partition, functions)
  private[this] val buffer = functions.empty

  val columns: Int = functions.partial.size
  val resultBytes: Int = buffer.getSizeInBytes

  override def begin(partial: UnsafeRow): Unit = buffer.copyFrom(partial)
  override def add(partial: UnsafeRow): Unit = merger.merge(buffer, partial)
  override def result(): UnsafeRow = buffer.copy()

  override def changeable(partial: UnsafeRow): UnsafeRow = partial.copy()

  override def mergeInto(older: UnsafeRow, newer: UnsafeRow): UnsafeRow = {
    merger.merge(older, newer)
    older
  }
}

/** Partial results that hold objects; merging makes another row. */
final private class ObjectPartials(partition: Int, functions: PaneFunctions)
    extends PanePartials {
  private[this] val objects = ObjectAggregation.merging(partition, functions)

  override def begin(partial: UnsafeRow): Unit = objects.begin(partial)
  override def add(partial: UnsafeRow): Unit = objects.add(partial)
  override def result(): UnsafeRow = objects.partial()

  override def changeable(partial: UnsafeRow): UnsafeRow = partial
  override def mergeInto(older: UnsafeRow, newer: UnsafeRow): UnsafeRow = merge(older, newer)
}

/** Makes the rows of windows. */
sealed private[scalegate] trait PaneResults {

  /** The row of a window, valid until the next is asked for.
    *
    * @param key
    *   the window's values of `grouping`
    * @param older
    *   the window's partial result, or that of its older rows
    * @param newer
    *   that of the others; null where there are none. Both stay as they are
    */
  def row(key: UnsafeRow, older: UnsafeRow, newer: UnsafeRow): UnsafeRow
}

private[scalegate] object PaneResults {
  def apply(partition: Int, functions: PaneFunctions, partials: PanePartials): PaneResults =
    if (functions.fixed) new FixedResults(partition, functions, partials)
    else new ObjectResults(partition, functions)
}

/** Rows of windows whose partial results are of fixed size. */
final private class FixedResults(
    partition: Int,
    functions: PaneFunctions,
    merging: StateMerging[UnsafeRow]
) extends PaneResults {
  private[this] val both = functions.empty
  private[this] val joined = new JoinedRow
  private[this] val project = {
    val made = UnsafeProjection.create(functions.evaluated, functions.grouping ++ functions.held)
    made.initialize(partition)
    made
  }

  override def row(key: UnsafeRow, older: UnsafeRow, newer: UnsafeRow): UnsafeRow =
    if (newer eq null) project(joined(key, older))
    else {
      both.copyFrom(older)
      project(joined(key, merging.mergeInto(both, newer)))
    }
}

/** Rows of windows whose partial results hold objects. */
final private class ObjectResults(partition: Int, functions: PaneFunctions) extends PaneResults {
  private[this] val objects = ObjectAggregation.results(partition, functions)

  override def row(key: UnsafeRow, older: UnsafeRow, newer: UnsafeRow): UnsafeRow = {
    objects.begin(older)
    if (newer ne null) objects.add(newer)
    objects.output(key)
  }
}

package io.scalegate.spark.exec

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, JoinedRow, UnsafeRow}

import io.scalegate.join.{
  AttributeType,
  Band,
  IntegralBand,
  JoinSpec,
  PairPredicate,
  ScaleJoin,
  TypedJoin
}
import io.scalegate.stream.{CountWindow, Side, StreamTuple}

/** An input of a join and its bounded attributes, the time first. */
final class BoundedInput(val bounded: Seq[Expression], val output: Seq[Attribute])
    extends Serializable

/** Everything that travels to the executor for one [[RowWindowJoinExec]]. */
final class RowWindowTask(
    probing: Probing,
    rows: Long,
    left: BoundedInput,
    right: BoundedInput,
    bands: IndexedSeq[Band],
    residual: Option[Expression],
    threads: Int
) extends PartitionsJoinTask {

  /** Starts the join of two inputs in the order of their times; the task's end must close it. */
  def join(l: Iterator[InternalRow], r: Iterator[InternalRow]): RowWindowJoinIterator = {
    val context = TaskContext.get()
    val spec = JoinSpec(
      CountWindow(rows),
      bands :+ RowWindowTask.Usable,
      residual.map(predicates),
      probing.joinType
    )
    val ofLeft = new TimedRows(UnsafeRows(l, left.output), left, bands, Side.R, 0)
    val ofRight = new TimedRows(UnsafeRows(r, right.output), right, bands, Side.S, 1)
    val kept = new KeptRows(rows, WindowMemory.ofTask(context))
    // Threads start last: what throws before leaves none behind.
    val running = new TypedJoin(new ScaleJoin(threads)).open(spec, Vector(Side.R, Side.S))
    new RowWindowJoinIterator(running, probing, ofLeft, ofRight, context, kept)
  }

  /** One predicate for each thread, made here because making one reads the task's own settings. */
  private[this] def predicates(condition: Expression): () => PairPredicate = {
    val made = new java.util.concurrent.ConcurrentLinkedQueue[PairPredicate]()
    (1 to threads).foreach { _ =>
      val holds = predicate(condition, left.output ++ right.output)
      val pair = new JoinedRow
      made.add { (r: StreamTuple, s: StreamTuple) =>
        pair(r.row.asInstanceOf[InternalRow], s.row.asInstanceOf[InternalRow])
        holds.eval(pair)
      }
    }
    () => made.remove()
  }
}

object RowWindowTask {

  /** A band that only rows without NULLs among their banded attributes are within. */
  private[exec] val Usable: Band = IntegralBand(AttributeType.Int32, 0, 0)
}

/** One input as tuples of a join's source, in the order of its times. Rows without a time come before all others,
  * and have to be taken first.
  */
final class TimedRows(
    rows: Iterator[UnsafeRow],
    input: BoundedInput,
    bands: IndexedSeq[Band],
    side: Side,
    source: Int
) {
  private[this] val time =
    new AttributeReader(input.bounded.take(1), Vector(AttributeType.Int64), input.output)
  private[this] val attributes =
    new AttributeReader(input.bounded.tail, bands.map(_.attribute), input.output)
  private[this] val unusable = if (side eq Side.R) 1L else -1L
  private[this] var seq = 0L

  /** The columns of a row. */
  val columns: Int = input.output.length

  /** The tuple that comes next, null at the end. */
  var head: StreamTuple = _

  /** The next row that has no time, valid until the next is asked for; null when [[head]] is the first that has. */
  def nextUntimed(): UnsafeRow = {
    val row = if (head == null && rows.hasNext) rows.next() else null
    if (row == null) null
    else if (time.read(row)) {
      head = tuple(row)
      null
    } else row
  }

  def advance(): Unit = head = if (rows.hasNext) timed(rows.next()) else null

  private[this] def timed(row: UnsafeRow): StreamTuple =
    if (time.read(row)) tuple(row)
    else throw new IllegalStateException("a row without a time comes after one that has one")

  private[this] def tuple(row: UnsafeRow): StreamTuple = {
    val width = bands.length
    val attrs = new Array[Long](width + 1)
    if (attributes.read(row)) System.arraycopy(attributes.keys, 0, attrs, 0, width)
    else attrs(width) = unusable
    seq += 1
    new StreamTuple(time.keys(0), source, seq, side, attrs, row.copy())
  }
}

/** Accounts for the rows that the windows of a row-count join keep. */
final class KeptRows(windowRows: Long, memory: WindowMemory) {
  private[this] var rows = 0L
  private[this] var bytes = 0L

  def add(t: StreamTuple): Unit = {
    rows += 1
    bytes += RowSize.of(t.row.asInstanceOf[InternalRow])
    val kept = if (windowRows > rows / 2) rows else 2 * windowRows
    memory.reserve(kept, (kept.toDouble / rows * bytes).toLong)
  }
}

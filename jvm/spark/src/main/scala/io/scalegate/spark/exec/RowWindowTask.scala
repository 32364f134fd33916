package io.scalegate.spark.exec

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BasePredicate, Expression, JoinedRow, UnsafeRow}

import io.scalegate.join.{JoinSpec, PairPredicate, ScaleJoin, TypedJoin}
import io.scalegate.stream.{CountWindow, Side, Sides, StreamTuple}

/** Everything that travels to the executor for one [[RowWindowJoinExec]].
  *
  * @param rows
  *   that a window holds
  */
final class RowWindowTask(terms: TaskTerms, times: Sides[Expression], rows: Long, threads: Int)
    extends PartitionsJoinTask {

  /** Starts the join of two inputs in the order of their times; the task's end must close it. */
  def join(l: Iterator[InternalRow], r: Iterator[InternalRow]): RowWindowJoinIterator = {
    val context = TaskContext.get()
    val bands = terms.by.bands
    val spec = JoinSpec(
      CountWindow(rows),
      bands :+ RowWindowReader.Usable,
      terms.residuals(threads).map(predicates),
      terms.probing.joinType
    )
    def timed(side: Side, rows: Iterator[InternalRow], source: Int) = {
      val input = terms.inputs(side)
      val reader = new RowWindowReader(times(side), input, bands, side)
      new TimedRows(UnsafeRows(rows, input.output), reader, source)
    }
    val (ofLeft, ofRight) = (timed(Side.R, l, 0), timed(Side.S, r, 1))
    val kept = new KeptRows(rows, WindowMemory.ofTask(context))
    // Threads start last: what throws before leaves none behind.
    val running = new TypedJoin(new ScaleJoin(threads)).open(spec, Vector(Side.R, Side.S))
    new RowWindowJoinIterator(running, terms.probing, ofLeft, ofRight, context, kept)
  }

  /** One for each thread. */
  private[this] def predicates(residuals: Seq[BasePredicate]): () => PairPredicate = {
    val made = new java.util.concurrent.ConcurrentLinkedQueue[PairPredicate]()
    residuals.foreach { holds =>
      val pair = new JoinedRow
      made.add { (r: StreamTuple, s: StreamTuple) =>
        pair(r.row.asInstanceOf[InternalRow], s.row.asInstanceOf[InternalRow])
        holds.eval(pair)
      }
    }
    () => made.remove()
  }
}

/** One input as tuples of a join's source, in the order of its times. Rows without a time come before all others,
  * and have to be taken first.
  */
final class TimedRows(rows: Iterator[UnsafeRow], reader: RowWindowReader, source: Int) {
  private[this] var seq = 0L

  /** The columns of a row. */
  val columns: Int = reader.columns

  /** The tuple that comes next, null at the end. */
  var head: StreamTuple = _

  /** The next row that has no time, valid until the next is asked for; null when [[head]] is the first that has. */
  def nextUntimed(): UnsafeRow = {
    val row = if (head == null && rows.hasNext) rows.next() else null
    if (row == null) null
    else if (reader.readTime(row)) {
      head = tuple(row)
      null
    } else row
  }

  def advance(): Unit = head = if (rows.hasNext) timed(rows.next()) else null

  private[this] def timed(row: UnsafeRow): StreamTuple =
    if (reader.readTime(row)) tuple(row)
    else throw new IllegalStateException("a row without a time comes after one that has one")

  private[this] def tuple(row: UnsafeRow): StreamTuple = {
    val attrs = new Array[Long](reader.width)
    reader.read(row, attrs)
    seq += 1
    new StreamTuple(reader.time, source, seq, reader.side, attrs, row.copy())
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

package io.scalegate.spark.join.operator

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BasePredicate, Expression, JoinedRow}

import io.scalegate.join.{JoinSpec, PairPredicate, TypedJoin}
import io.scalegate.spark.join.{PartitionsJoinTask, TaskTerms}
import io.scalegate.spark.rows.{UnsafeRows, WindowMemory}
import io.scalegate.spark.settings.NamedOperator
import io.scalegate.stream.{Side, Sides, StreamTuple, Window}

/** A join by one of the papers' operators, within a task, as it travels to the executor.
  *
  * @param terms
  *   of the banded attributes
  * @param times
  *   as 64-bit numbers, which the window goes by
  */
final class OperatorTask(
    terms: TaskTerms,
    times: Sides[Expression],
    window: Window,
    operator: NamedOperator
) extends PartitionsJoinTask {

  /** Starts the join of two inputs in the order of their times; the task's end must close it. */
  def join(l: Iterator[InternalRow], r: Iterator[InternalRow]): OperatorIterator = {
    val context = TaskContext.get()
    val bands = terms.by.bands
    val spec = JoinSpec(
      window,
      bands :+ TimedReader.Usable,
      terms.residuals(operator.threads).map(OperatorTask.predicates),
      terms.probing.joinType
    )
    def timed(side: Side, rows: Iterator[InternalRow], source: Int) = {
      val input = terms.inputs(side)
      val reader = new TimedReader(times(side), input, bands, side)
      new TimedRows(UnsafeRows(rows, input.output), reader, source)
    }
    val (ofLeft, ofRight) = (timed(Side.R, l, 0), timed(Side.S, r, 1))
    val kept = KeptRows.of(window, WindowMemory.ofTask(context))
    // Threads start last: what throws before leaves none behind.
    val running = new TypedJoin(operator.strategy).open(spec, Vector(Side.R, Side.S))
    new OperatorIterator(running, terms.probing, ofLeft, ofRight, context, kept)
  }
}

private[join] object OperatorTask {

  /** One for each thread. */
  def predicates(residuals: Seq[BasePredicate]): () => PairPredicate = {
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

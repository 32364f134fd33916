package io.scalegate.spark.join.operator

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BasePredicate, Expression, JoinedRow}

import io.scalegate.join.{JoinSpec, PairPredicate, TypedJoin}
import io.scalegate.spark.join.{JoinTask, PartitionsJoinTask, TaskTerms}
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
    val readers =
      Sides.each(side => new TimedReader(times(side), terms.inputs(side), bands, side))
    val rows =
      Sides(UnsafeRows(l, terms.inputs.left.output), UnsafeRows(r, terms.inputs.right.output))
    val kept = KeptRows.of(window, WindowMemory.ofTask(context))
    // Threads start last: what throws before leaves none behind.
    val running =
      new TypedJoin(operator.strategy).open(spec, DealtSources.sides(operator.inputs))
    def timed(side: Side) = new TimedRows(rows(side), readers(side), DealtSources(running, side))
    val (ofLeft, ofRight) = (timed(Side.R), timed(Side.S))
    new OperatorIterator(running, terms.probing, ofLeft, ofRight, context, kept)
  }
}

private[join] object OperatorTask {

  /** One for each thread. */
  def predicates(residuals: Seq[BasePredicate]): () => PairPredicate =
    JoinTask.oneForEach(residuals.map(test))

  private[this] def test(holds: BasePredicate): PairPredicate = {
    val pair = new JoinedRow
    (r: StreamTuple, s: StreamTuple) => {
      pair(r.row.asInstanceOf[InternalRow], s.row.asInstanceOf[InternalRow])
      holds.eval(pair)
    }
  }
}

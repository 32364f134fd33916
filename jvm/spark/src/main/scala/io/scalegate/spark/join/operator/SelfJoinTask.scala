package io.scalegate.spark.join.operator

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, BasePredicate, JoinedRow}

import io.scalegate.indexjoin.SelfJoinStrategy
import io.scalegate.join.{JoinSpec, PairPredicate, TypedJoin}
import io.scalegate.spark.join.{BoundedInput, JoinTask}
import io.scalegate.spark.rows.{UnsafeRows, WindowMemory}
import io.scalegate.spark.settings.NamedOperator
import io.scalegate.stream.{Side, StreamTuple}

/** The join of an input with itself by an operator that keeps one window of it, within a task, as it travels to the
  * executor.
  *
  * @param columns
  *   of the input
  * @param operator
  *   one that [[SelfJoinTask.mayRun]]
  */
final class SelfJoinTask(
    terms: SelfJoinTerms,
    columns: Seq[Attribute],
    operator: NamedOperator
) extends JoinTask {

  /** Starts the join of an input in the order of its times; the task's end must close it. */
  def join(input: Iterator[InternalRow]): SelfJoinIterator = {
    val context = TaskContext.get()
    val reader =
      new TimedReader(terms.time, new BoundedInput(terms.bounded, columns), terms.bands, Side.S)
    val spec = JoinSpec(terms.window, terms.bands :+ TimedReader.Usable, predicates)
    val kept = KeptRows.of(terms.window, WindowMemory.ofTask(context))
    val condition = holds.orNull
    val rows = UnsafeRows(input, columns)
    // Threads start last: what throws before leaves none behind.
    val strategy = operator.strategy.asInstanceOf[SelfJoinStrategy]
    val running = TypedJoin.pairsOf(strategy.openSelf(spec, operator.inputs))
    val timed = new TimedRows(rows, reader, DealtSources(running, Side.S))
    new SelfJoinIterator(running, timed, condition, context, kept)
  }

  /** For one thread. */
  private[this] def holds: Option[BasePredicate] =
    accepts(terms.condition, terms.left ++ terms.right)

  /** One for each thread. */
  private[this] def predicates: Option[() => PairPredicate] = terms.condition.map { _ =>
    JoinTask.oneForEach(Seq.fill(operator.threads)(eitherWay(holds.get)))
  }

  private[this] def eitherWay(condition: BasePredicate): PairPredicate = {
    val pair = new JoinedRow
    def row(t: StreamTuple) = t.row.asInstanceOf[InternalRow]
    (earlier, later) =>
      condition.eval(pair(row(earlier), row(later))) ||
        condition.eval(pair(row(later), row(earlier)))
  }
}

object SelfJoinTask {

  /** Whether it can keep one window of an input that is joined with itself. */
  def mayRun(operator: NamedOperator): Boolean = operator.strategy.isInstanceOf[SelfJoinStrategy]
}

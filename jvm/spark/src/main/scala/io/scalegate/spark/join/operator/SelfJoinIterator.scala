package io.scalegate.spark.join.operator

import java.util.ArrayDeque

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.expressions.{BasePredicate, JoinedRow, UnsafeRow}

import io.scalegate.join.{RunningTypedJoin, TypedResult}
import io.scalegate.spark.join.Probing
import io.scalegate.stream.{Sides, StreamTuple}

/** The pairs of an input with itself. The running join gives two rows that may be a pair once, the earlier one as R's:
  * they are given here in either order, as the condition holds, and each row with itself where it holds of that.
  *
  * @param condition
  *   all of it, for the task's thread; null where it holds of what the join gives in either order, and of each row with
  *   itself
  */
final class SelfJoinIterator(
    join: RunningTypedJoin,
    input: TimedRows,
    condition: BasePredicate,
    task: TaskContext,
    kept: KeptRows
) extends FedPairs(join, Probing.Inner, task) {
  private[this] val pair = new JoinedRow

  /** The left row and the right row of pairs that are to be given, in turns. */
  private[this] val ready = new ArrayDeque[UnsafeRow]

  while (input.nextUntimed() != null) ()

  protected def rows: Sides[Long] = Sides(input.count, input.count)

  protected def seek(): Unit =
    while (!isGiven && !(ready.isEmpty && isDone))
      if (ready.isEmpty) step() else giveSides(ready.poll(), ready.poll())

  protected def take(result: TypedResult): Unit = {
    val (earlier, later) = (rowOf(result.r), rowOf(result.s))
    add(earlier, later)
    add(later, earlier)
  }

  protected def deliver(): Boolean = {
    while (input.head != null && !TimedReader.isUsable(input.head)) input.advance()
    val tuple = input.head
    val accepted = tuple != null && input.sources.tryAdd(tuple)
    if (tuple == null) {
      input.sources.close()
      endOfRows()
    } else if (accepted) {
      kept.add(tuple)
      add(rowOf(tuple), rowOf(tuple))
      input.advance()
    }
    accepted
  }

  private[this] def add(left: UnsafeRow, right: UnsafeRow): Unit =
    if (condition == null || condition.eval(pair(left, right))) {
      ready.add(left)
      ready.add(right)
    }

  private[this] def rowOf(t: StreamTuple) = t.row.asInstanceOf[UnsafeRow]
}

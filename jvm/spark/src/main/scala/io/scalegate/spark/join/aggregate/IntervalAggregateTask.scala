package io.scalegate.spark.join.aggregate

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution.metric.SQLMetric

import io.scalegate.spark.join.batch.{GroupKey, KeyedSide}
import io.scalegate.spark.rows.{AttributeReader, UnsafeRows}
import io.scalegate.stream.Sides

/** What the tasks of an [[IntervalAggregateExec]] do, as it travels to the executors.
  *
  * @param shown
  *   of the left input's columns, those that its rows begin with
  */
final private[scalegate] class IntervalAggregateTask(
    terms: IntervalTerms,
    shown: Seq[Attribute],
    columns: Sides[Seq[Attribute]]
) extends Serializable {

  /** The rows of a partition, of inputs that are sorted by keys and time.
    *
    * @param counters
    *   added to when the task ends
    */
  def run(
      l: Iterator[InternalRow],
      r: Iterator[InternalRow],
      counters: Seq[SQLMetric]
  ): Iterator[InternalRow] = {
    val context = TaskContext.get()
    val times = columns.zip(terms.times).map { case (input, time) =>
      () => AttributeReader(Seq(time), input)
    }
    val keys = columns.zip(terms.keys.sides).map { case (input, keys) =>
      () => GroupKey(keys, input)
    }
    val results = IntervalResults(
      terms.intervals,
      columns.left,
      shown,
      columns.right,
      times.right,
      context
    )
    val left = new KeyedSide(UnsafeRows(l, columns.left), keys.left(), times.left(), whole = true)
    val right =
      new KeyedSide(UnsafeRows(r, columns.right), keys.right(), times.right(), whole = false)
    def shared(input: RightRows) = new SharedRightRows(
      input,
      terms.intervals.size,
      times.right(),
      columns.right.size,
      context
    )
    val rows = new IntervalAggregateIterator(
      left,
      right,
      results,
      keys.left(),
      if (terms.intervals.size == 1) None else Some(shared(_))
    )
    context.addTaskCompletionListener[Unit] { _ =>
      val counts =
        Seq(rows.count, results.pushed, results.merges, results.peak, rows.spilled)
      counters.zip(counts).foreach { case (metric, n) => metric += n }
    }
    rows
  }
}

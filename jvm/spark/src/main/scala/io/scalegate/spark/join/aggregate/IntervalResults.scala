package io.scalegate.spark.join.aggregate

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.expressions.codegen.{
  GenerateUnsafeRowJoiner,
  UnsafeRowJoiner
}
import org.apache.spark.sql.catalyst.expressions.{Attribute, UnsafeRow}
import org.apache.spark.sql.types.{StructField, StructType}

import io.scalegate.spark.rows.{AttributeReader, UnsafeRows}

/** What the aggregates of the right rows in one interval or several around each left row are, for left rows of one key after
  * another, each key's in the order of their times. One thread, the task's; it holds a window for each interval.
  *
  * @param joiners
  *   put the results of the second interval behind those of the first, and so on
  */
final private[spark] class IntervalResults private (
    windows: Array[SlidingResults],
    joiners: Array[UnsafeRowJoiner]
) {
  private[this] val nothing = UnsafeRows.ofNulls(0)

  /** How many there are. */
  def intervals: Int = windows.length

  /** Right rows that were in a window so far, and blocks of them that were written to disk. */
  def pushed: Long = windows.iterator.map(_.pushed).sum
  def spilled: Long = windows.iterator.map(_.spilled).sum

  /** Merges of partial results so far, and the most rows of the windows. */
  def merges: Long = windows.iterator.map(_.merges).sum
  def peak: Long = windows.iterator.map(_.peak).sum

  /** Begins with another key. */
  def beginKey(): Unit = windows.foreach(_.beginKey())

  /** The row of a left row that has no right rows; like that of [[of]] valid until the next is asked for. */
  def ofNone(left: UnsafeRow): UnsafeRow = {
    var row = windows(0).ofNone(left)
    var i = 1
    while (i < windows.length) {
      row = joiners(i - 1).join(row, windows(i).ofNone(nothing))
      i += 1
    }
    row
  }

  /** The row of a left row.
    *
    * @param left
    *   what the results stand behind
    * @param time
    *   the left row's
    * @param right
    *   for each interval, the key's right rows that were not in its window yet, in the order of their times
    */
  def of(left: UnsafeRow, time: Long, right: Int => RightRows): UnsafeRow = {
    var row = windows(0).of(left, time, right(0))
    var i = 1
    while (i < windows.length) {
      row = joiners(i - 1).join(row, windows(i).of(nothing, time, right(i)))
      i += 1
    }
    row
  }
}

private[spark] object IntervalResults {

  /** @param left
    *   columns of a left row, of which those `shown` stand before its results
    * @param right
    *   columns of a right row
    * @param time
    *   makes what reads a right row's time
    */
  def apply(
      intervals: Seq[SlidingInterval],
      left: Seq[Attribute],
      shown: Seq[Attribute],
      right: Seq[Attribute],
      time: () => AttributeReader,
      context: TaskContext
  ): IntervalResults = {
    val windows = intervals.zipWithIndex.map { case (interval, i) =>
      val functions =
        if (i == 0) interval.aggregates.over(left, shown) else interval.aggregates.over(Nil, Nil)
      val states = RightRowStates(context.partitionId(), functions, right, time())
      new SlidingResults(states, interval.band, interval.keepsLast, right.size, context)
    }
    val results = intervals.map(_.aggregates.output)
    val joiners = results.indices.drop(1).map { i =>
      val before = shown ++ results.take(i).flatten
      GenerateUnsafeRowJoiner.create(schemaOf(before), schemaOf(results(i)))
    }
    new IntervalResults(windows.toArray, joiners.toArray)
  }

  private[this] def schemaOf(columns: Seq[Attribute]) =
    StructType(columns.map(a => StructField(a.name, a.dataType, a.nullable)))
}

package io.scalegate.spark.join.stream.task

import scala.collection.mutable

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{JoinedRow, UnsafeRow}
import org.apache.spark.sql.scalegate.PythonSteps

import io.scalegate.stream.{Side, Sides}

/** Of pairs that were found, those that functions in Python accept, in the same order. One thread, the task's: Spark takes
  * the pairs on the thread that asks for the answers. Some batches of pairs are with Python at a time: their numbers are
  * held here, and the columns that the functions read are held by Spark, which spills them.
  */
final private[scalegate] class AcceptedPairs(
    found: FoundPairs,
    functions: PythonSteps,
    sides: Sides[BatchSide],
    order: ProbeOrder
) extends FoundPairs {
  import AcceptedPairs._

  private[this] val ofLeft = new Candidates(sides.left, sides.right)
  private[this] val ofRight = new Candidates(sides.right, sides.left)
  private[this] val asked = mutable.Queue.empty[Pair]
  private[this] var answers: Iterator[Boolean] = _ // begun when the first pair is asked for
  private[this] var current: Pair = _

  def position: Int = current.position
  def run: Int = current.run
  def number: Int = current.number
  def comparisons: Long = found.comparisons
  def close(): Unit = found.close()

  def advance(): Boolean = {
    if (answers == null) answers = begun()
    var isAccepted = false
    while (!isAccepted && answers.hasNext) {
      isAccepted = answers.next()
      current = asked.dequeue()
    }
    isAccepted
  }

  /** No worker is started where there are no pairs. */
  private[this] def begun(): Iterator[Boolean] = {
    val rows = Iterator.continually(found.advance()).takeWhile(identity).map(_ => row())
    if (rows.hasNext) functions.satisfied(rows, TaskContext.getPartitionId())
    else Iterator.empty
  }

  private[this] def row(): InternalRow = {
    val pair = Pair(found.position, found.run, found.number)
    asked.enqueue(pair)
    (if (order.side(pair.position) eq Side.R) ofLeft else ofRight).row(pair)
  }

  /** Pairs of probe rows of one side. */
  final private[this] class Candidates(probes: BatchSide, searched: BatchSide) {
    private[this] val probe = new UnsafeRow(probes.input.output.length)
    private[this] val other = new UnsafeRow(searched.input.output.length)
    private[this] val rows = new RowsOfRuns(searched)
    private[this] val joined =
      if (probes.side eq Side.R) new JoinedRow(probe, other) else new JoinedRow(other, probe)

    def row(pair: Pair): InternalRow = {
      probes.point(probe, order.number(pair.position))
      rows.inRun(pair.run).point(other, pair.number)
      joined
    }
  }
}

private object AcceptedPairs {
  final private case class Pair(position: Int, run: Int, number: Int)
}

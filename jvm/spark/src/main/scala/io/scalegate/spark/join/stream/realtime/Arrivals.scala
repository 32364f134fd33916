package io.scalegate.spark.join.stream.realtime

import java.util.ArrayList
import java.util.concurrent.{ArrayBlockingQueue, TimeUnit}

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.scalegate.TaskAccess

import io.scalegate.stream.{IdleStrategy, Lifecycle, Side, Sides, Work, Workers}

/** What comes next of an input: a row, or what its source promises.
  *
  * @param row
  *   a copy, without the columns of the exchange; null for a promise
  * @param time
  *   its event time, or the promised one; the least where it is NULL
  * @param source
  *   see [[ProgressExec.sourceOf]]
  * @param readAt
  *   when its source task read it, in microseconds since the epoch; 0 for a promise
  */
final private[scalegate] class Arrival(
    val side: Side,
    val row: UnsafeRow,
    val time: Long,
    val source: Long,
    val readAt: Long
)

/** Reads both inputs of a join in Real-Time Mode, each by a thread of its own: either may have nothing until the batch ends,
  * and reading it blocks. The threads run from the start until both inputs have ended, or the task has: its end waits for them.
  *
  * Progress: a reading thread waits where the join is [[Arrivals.Room]] rows behind, so the exchange slows the sources
  * down; the join waits where nothing has come. Memory order: that of the JDK's queue. The task's thread alone calls the
  * methods.
  *
  * @param columns
  *   of each input, those of the exchange left out
  */
final class Arrivals(
    inputs: Sides[Iterator[InternalRow]],
    present: Sides[Seq[Attribute]],
    columns: Sides[Seq[Attribute]],
    times: Sides[Int],
    context: TaskContext
) {
  private[this] val queue = new ArrayBlockingQueue[AnyRef](Arrivals.Room)
  private[this] val ending = new Lifecycle("join")
  private[this] val workers = new Workers(ending, () => new IdleStrategy.Backoff())
  private[this] val taken = new ArrayList[AnyRef]
  private[this] var open = 2
  context.addTaskCompletionListener[Unit](_ => workers.stop())
  workers.start(Seq(new Reading(Side.R), new Reading(Side.S)))

  /** Whether no row comes any more. */
  def isDone: Boolean = open == 0

  /** Gives all that has come, up to `most`, or waits for it for so long at most. */
  private[scalegate] def take(most: Int, waitNanos: Long)(see: Arrival => Unit): Unit = {
    ending.throwIfStopped()
    taken.clear()
    if (queue.drainTo(taken, most) == 0) {
      val first = queue.poll(waitNanos, TimeUnit.NANOSECONDS)
      if (first != null) {
        taken.add(first)
        queue.drainTo(taken, most - 1)
      }
    }
    var i = 0
    while (i < taken.size) {
      taken.get(i) match {
        case arrival: Arrival => see(arrival)
        case _ => open -= 1
      }
      i += 1
    }
  }

  final private[this] class Reading(side: Side) extends Work(s"scalegate-real-time-$side") {
    private[this] val rows = inputs(side)
    private[this] val source = present(side).length - 2
    private[this] val time = times(side)
    private[this] var hasMore = true
    private[this] var strip: UnsafeProjection = _

    override def prepare(): Unit = {
      TaskAccess.enter(context)
      strip = UnsafeProjection.create(columns(side), present(side))
    }

    def step(): Boolean = {
      hasMore = rows.hasNext
      if (hasMore) queue.put(arrival(rows.next()))
      true
    }

    def isFinished: Boolean = !hasMore

    override def finish(): Unit = queue.put(Arrivals.End)

    override def end(): Unit = TaskAccess.leave()

    private[this] def arrival(row: InternalRow) = {
      val from = row.getLong(source)
      val at = if (row.isNullAt(time)) Long.MinValue else row.getLong(time)
      if (ProgressExec.isPromise(from)) new Arrival(side, null, at, from, 0)
      else new Arrival(side, strip(row).copy(), at, from, row.getLong(source + 1))
    }
  }
}

private[scalegate] object Arrivals {

  /** Rows that may wait for the join. */
  val Room = 8192

  /** That an input has ended. */
  private object End
}

package io.scalegate.spark.join.operator

import org.apache.spark.TaskContext
import org.apache.spark.sql.scalegate.TaskAccess

import io.scalegate.join.{RunningTypedJoin, TypedResult}
import io.scalegate.spark.join.{Probing, UngroupedPairs}
import io.scalegate.stream.{IdleStrategy, Sides}

/** The pairs of a running join that the task's thread feeds and takes the results of, so that it never waits for the one
  * while the join waits for the other.
  *
  * The join's own threads compare rows, and end when this is closed. Its windows are in the task's memory, and are not
  * spilled.
  *
  * @param probing
  *   as `join` was opened for it; which side probes is for the reader of the pairs alone
  */
abstract class FedPairs(join: RunningTypedJoin, probing: Probing, task: TaskContext)
    extends UngroupedPairs(probing.side) {
  private[this] val idle = new IdleStrategy.Backoff()
  private[this] var fed = false

  /** Delivers the next row, or closes the sources where there is none any more; false if it delivered nothing. */
  protected def deliver(): Boolean

  /** Takes a result of the join. */
  protected def take(result: TypedResult): Unit

  /** The rows of each side so far, those without a time not among them. */
  protected def rows: Sides[Long]

  final def counts: Seq[Long] = {
    val m = join.metrics
    val shares = m.workers.map(_.comparisons)
    Seq(m.comparisons, shares.max, shares.min, m.stored, m.peakWindowRows)
  }

  /** What it has done; exact once it is closed. */
  final def work(partition: Int, nanos: Long): TaskWork =
    TaskWork(partition, nanos, rows, join.metrics, join.details)

  final def close(): Unit = join.close()

  final protected def isDone: Boolean = join.isDone

  /** Takes a result, or delivers rows where there is none, or waits for the workers where there is no room. */
  final protected def step(): Unit = {
    val result = join.poll()
    if (result != null) take(result) else if (!feed()) waitForWorkers()
  }

  /** The sources are closed. */
  final protected def endOfRows(): Unit = fed = true

  private[this] def waitForWorkers(): Unit = {
    TaskAccess.stopIfKilled(task)
    idle.idle()
  }

  /** Delivers rows until a source is full; false if it could deliver none. */
  private[this] def feed(): Boolean = {
    var count = 0
    while (!fed && count < FedPairs.Burst && deliver()) count += 1
    if (count > 0) idle.reset()
    count > 0
  }
}

object FedPairs {

  /** Names of the metrics that [[FedPairs.counts]] go to, and what they say. */
  val Counters: Seq[(String, String)] = Seq(
    "comparisons" -> "comparisons",
    "busiest" -> "comparisons of the busiest thread",
    "leastBusy" -> "comparisons of the least busy thread",
    "rowsKept" -> "rows kept in windows",
    "peakWindow" -> "peak window rows, sum over threads"
  )

  /** Rows that are delivered before the results are looked at again. */
  private val Burst = 256
}

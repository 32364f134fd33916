package io.scalegate.spark.join.stream.operator

import io.scalegate.stream.{IdleStrategy, RunningOperator, SaturatingMath}

/** An operator of the papers within a task of a streaming join. It is given rows in the order of their times, some at a
  * time, and up to which time these are all: what it gives then is all that it gives up to that time.
  *
  * One thread, the task's, beside the operator's own, which run from when it is made until [[close]]. Memory order is
  * that of the running operator.
  *
  * @param waiting
  *   called now and then while the operator's threads have nothing yet; may throw
  */
abstract private[stream] class LiveRun[A <: AnyRef](
    operator: RunningOperator[A],
    waiting: () => Unit
) extends AutoCloseable {
  private[this] val idle = new IdleStrategy.Backoff()
  private[this] var end = Long.MinValue // no result of the rows given lies at or above it
  private[this] var promised = true
  private[this] var comparedBefore = 0L

  /** Rows that its threads have compared since they were started. */
  protected def compared: Long

  /** Whether a row is left that was not given yet. */
  protected def hasRows: Boolean

  /** Gives the operator the next row; false if it took none. */
  protected def give(): Boolean

  /** Tells the operator that no row below this time is still to come. */
  protected def promise(end: Long): Unit

  /** Comparisons of rows by its threads since it was last given rows. */
  final def comparisons: Long = compared - comparedBefore

  /** There are more rows to give, all that there are up to a time. [[next]] must have given null. */
  final protected def beginUpTo(time: Long): Unit = {
    end = SaturatingMath.add(time, 1)
    promised = false
    comparedBefore = compared
  }

  /** The next result of these rows, or of those before that are decided by this time; null when there is none any more. */
  final def next(): A = {
    var result = operator.poll()
    while (result == null && (feed() || !isThrough)) result = operator.poll()
    if (result != null) idle.reset()
    result
  }

  final def close(): Unit = operator.close()

  /** Waits a little where it is not. */
  private[this] def isThrough = operator.frontier >= end || {
    idle.idle()
    waiting()
    false
  }

  /** Gives the operator rows until it takes no more of them, and what is promised when they are all; false if it took
    * nothing.
    */
  private[this] def feed(): Boolean = {
    var count = 0
    while (count < LiveRun.Burst && hasRows && give()) count += 1
    if (!hasRows && !promised) {
      promise(end)
      promised = true
      count += 1
    }
    if (count > 0) idle.reset()
    count > 0
  }
}

private object LiveRun {

  /** Rows that are given to the operator before its results are looked at again. */
  val Burst = 256
}

package io.scalegate.stream

/** What every operator under way has for its consumer: results, how far they have come, their end,
  * and word of how it was ended before. A failure, or that it was closed, is looked for after the
  * operator's state was read: so no consumer takes a consequence of either for a result or an end.
  *
  * @param ending
  *   how it ends before its time; shared by operators that are parts of one
  * @param newIdle
  *   makes the waiting strategy of each of its own threads
  */
abstract private[scalegate] class RunningOperator[A <: AnyRef](
    private[scalegate] val ending: Lifecycle,
    newIdle: () => IdleStrategy = () => new IdleStrategy.Backoff()
) extends AutoCloseable {
  private[this] var ended = false // the consumer's

  /** The operator's own threads. */
  final protected val ownThreads = new Workers(ending, newIdle)

  /** The next result; null when there is none yet. What it throws ends the operator. */
  protected def take(): A

  /** Whether every source has closed and every result was taken. */
  protected def isExhausted: Boolean

  /** No result that is still to come lies below it; `Long.MaxValue` once all are out. */
  protected def reached: Long

  /** What its threads do, from the start on. */
  protected def ownWork: Iterable[Work] = Nil

  /** The next result, or null when there is none yet. One thread at a time. */
  final def poll(): A = {
    if (!ended) ending.throwIfStopped()
    val result = guarded(take())
    if (!ended) ending.throwIfStopped()
    result
  }

  /** No result still to come has a time below it; `Long.MaxValue` once all are out. It follows the
    * sources' promises as it does their tuples, and never falls. The consumer's thread, like
    * [[poll]].
    */
  final def frontier: Long =
    if (isDone) Long.MaxValue
    else {
      ending.throwIfStopped()
      val time = guarded(reached)
      ending.throwIfStopped()
      time
    }

  /** Whether every source has closed and every result was taken. False for an operator that failed,
    * or was closed before; once true, always true. The consumer's thread.
    */
  final def isDone: Boolean = {
    if (!ended) ended = isExhausted && !ending.isStopped
    ended
  }

  /** Stops the operator, interrupts its threads and waits until they have ended, whatever is still on
    * the way. Any thread but the operator's own; a second call is void. From then on sources,
    * [[poll]] and [[frontier]] throw, unless it was done.
    */
  def close(): Unit = ownThreads.stop()

  private[scalegate] def start(): Unit = ownThreads.start(ownWork)

  /** What the user's code throws ends the operator, and is the caller's too. */
  final protected def guarded[B](body: => B): B =
    try body
    catch {
      case e: Throwable =>
        ending.fail(e)
        throw e
    }
}

package io.scalegate.stream

import java.util.concurrent.atomic.AtomicReference

/** How a running operator ends before its time: by a failure in one of its threads, or because
  * its caller closes it. Any thread.
  *
  * @param operator
  *   what it is, for messages: "join"
  */
final private[scalegate] class Lifecycle(operator: String) {
  /*
   * A failure is recorded before anything that it lets go on (a closed output source above all),
   * and callers look for it after they have read. So whoever sees a consequence of the failure
   * sees the failure. So it is with the end by `close`.
   */
  private[this] val failure = new AtomicReference[Throwable]
  @volatile private[this] var closed = false

  /** Whether the operator's own threads must end. */
  def isStopped: Boolean = closed || failure.get != null

  /** Ends the operator for the given reason; of several, and of `close`, the first counts. */
  def fail(e: Throwable): Unit = if (!closed) failure.compareAndSet(null, e)

  def close(): Unit = closed = true

  /** Throws the operator's failure, or that it was closed; of both, the failure. */
  def throwIfStopped(): Unit = {
    val isClosed = closed // before the failure, for which it may have been closed
    val e = failure.get
    if (e != null) throw e
    if (isClosed) throw new IllegalStateException(s"the $operator is closed")
  }
}

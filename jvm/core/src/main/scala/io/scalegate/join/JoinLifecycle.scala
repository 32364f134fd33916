package io.scalegate.join

import java.util.concurrent.atomic.AtomicReference

import io.scalegate.gate.GateSource
import io.scalegate.stream.{IdleStrategy, StreamTuple}

/** How a running join ends before its time: by a failure in one of its threads, or because its
  * caller closes it. Any thread.
  */
final private[join] class JoinLifecycle {
  /*
   * A failure is recorded before anything that it lets go on (a closed output source above all),
   * and callers look for it after they have read. So whoever sees a consequence of the failure
   * sees the failure.
   */
  private[this] val failure = new AtomicReference[Throwable]
  @volatile private[this] var closed = false

  /** Whether the join's own threads must end. */
  def isStopped: Boolean = closed || failure.get != null

  def hasFailed: Boolean = failure.get != null

  /** Ends the join for the given reason; of several, the first counts. */
  def fail(e: Throwable): Unit = failure.compareAndSet(null, e)

  def close(): Unit = closed = true

  def throwIfFailed(): Unit = {
    val e = failure.get
    if (e != null) throw e
  }

  def throwIfStopped(): Unit = {
    throwIfFailed()
    if (closed) throw new IllegalStateException("the join is closed")
  }
}

private[join] object JoinLifecycle {

  /** Waits until the join's own threads have ended, and keeps an interrupt for the caller. */
  def awaitEnd(workers: Iterable[Thread]): Unit = {
    var interrupted = false
    for (worker <- workers)
      while (worker.isAlive)
        try worker.join()
        catch { case _: InterruptedException => interrupted = true }
    if (interrupted) Thread.currentThread().interrupt()
  }
}

/** Where a physical stream enters an input gate.
  *
  * @param stream
  *   the logical stream's name, for messages
  * @param width
  *   the attributes that its tuples need
  */
abstract private[join] class GatedSource(
    source: GateSource[StreamTuple],
    lifecycle: JoinLifecycle,
    stream: String,
    width: Int
) extends TupleSource {

  /** Whether `t` says itself that it is of the logical stream. */
  protected def isOfStream(t: StreamTuple): Boolean

  final def tryAdd(t: StreamTuple): Boolean = {
    lifecycle.throwIfStopped()
    if (t.source != id || !isOfStream(t) || t.attrs.length < width)
      throw new IllegalArgumentException(
        s"$source takes tuples of source $id, stream $stream, with $width attributes; this one " +
          s"is of source ${t.source}, stream ${t.side}, with ${t.attrs.length}"
      )
    source.tryAdd(t)
  }

  final def add(t: StreamTuple, idle: IdleStrategy): Unit = {
    while (!tryAdd(t)) {
      if (Thread.interrupted()) throw new InterruptedException(s"$source waited for room")
      idle.idle()
    }
    idle.reset()
  }

  final def advance(ts: Long): Unit = {
    lifecycle.throwIfStopped()
    source.advance(StreamTuple.punctuation(ts, id))
  }

  final def close(): Unit = source.close()
}

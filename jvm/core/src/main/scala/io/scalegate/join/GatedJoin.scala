package io.scalegate.join

import java.util.concurrent.atomic.AtomicReference

import io.scalegate.gate.{GateSource, ScaleGate}
import io.scalegate.stream.{EventOrder, IdleStrategy, Side, StreamTuple}

/** What the strategies behind an input gate (`SG_in` of ScaleJoin's Algorithm 1) have in common:
  * sources, failure and shut-down.
  */
abstract private[join] class GatedJoin(
    spec: JoinSpec,
    sides: IndexedSeq[Side],
    options: JoinOptions
) extends RunningJoin {
  require(sides.nonEmpty, "a join needs at least one source")

  /*
   * A failure is recorded before anything that it lets go on (a closed output source above all),
   * and callers look for it after they have read. So whoever sees a consequence of the failure
   * sees the failure.
   */
  private[this] val failure = new AtomicReference[Throwable]
  @volatile private[this] var closed = false

  protected val gate = new ScaleGate[StreamTuple](EventOrder.Tuples, options.inputCapacity)

  final val sources: IndexedSeq[JoinSource] = sides.zipWithIndex.map { case (side, i) =>
    new Source(side, i, gate.addSource(s"source $i ($side)"))
  }

  /** Whether the join's own threads must end. */
  final protected def isStopped: Boolean = closed || failure.get != null

  final protected def hasFailed: Boolean = failure.get != null

  /** Ends the join for the given reason; of several, the first counts. */
  final protected def fail(e: Throwable): Unit = failure.compareAndSet(null, e)

  final protected def throwIfFailed(): Unit = {
    val e = failure.get
    if (e != null) throw e
  }

  def close(): Unit = closed = true

  /** Waits until the join's own threads have ended, and keeps an interrupt for the caller. */
  final protected def awaitEnd(workers: Iterable[Thread]): Unit = {
    var interrupted = false
    for (worker <- workers)
      while (worker.isAlive)
        try worker.join()
        catch { case _: InterruptedException => interrupted = true }
    if (interrupted) Thread.currentThread().interrupt()
  }

  private[this] def throwIfStopped(): Unit = {
    throwIfFailed()
    if (closed) throw new IllegalStateException("the join is closed")
  }

  final private[this] class Source(val side: Side, val id: Int, source: GateSource[StreamTuple])
      extends JoinSource {
    private[this] val width = spec.bands.length

    def tryAdd(t: StreamTuple): Boolean = {
      throwIfStopped()
      if (t.source != id || (t.side ne side) || t.attrs.length < width)
        throw new IllegalArgumentException(
          s"$source takes tuples of source $id, stream $side, with $width attributes; this one " +
            s"is of source ${t.source}, stream ${t.side}, with ${t.attrs.length}"
        )
      source.tryAdd(t)
    }

    def add(t: StreamTuple, idle: IdleStrategy): Unit = {
      while (!tryAdd(t)) {
        if (Thread.interrupted()) throw new InterruptedException(s"$source waited for room")
        idle.idle()
      }
      idle.reset()
    }

    def advance(ts: Long): Unit = {
      throwIfStopped()
      source.advance(StreamTuple.punctuation(ts, id))
    }

    def close(): Unit = source.close()
  }
}

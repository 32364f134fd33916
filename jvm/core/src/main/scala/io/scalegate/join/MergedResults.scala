package io.scalegate.join

import io.scalegate.gate.{GateSource, ScaleGate}
import io.scalegate.stream.{EventOrder, IdleStrategy, StreamTuple}

/** The workers' results in their order: each worker is a source of an output gate, as in ScaleJoin
  * (`SG_out`). [[poll]], [[isDone]] and [[frontier]] are the consumer's.
  *
  * @param punctuation
  *   the promise that no result of the given tuple or of one before it is to come
  */
final private[join] class MergedResults[T <: AnyRef](
    order: EventOrder[T],
    capacity: Int,
    punctuation: StreamTuple => T,
    workers: Int
) {
  private[this] val gate = new ScaleGate[T](order, capacity)
  private[this] val all = Vector.fill(workers)(new Outlet(gate.addSource(), punctuation))
  private[this] val output = gate.addReader()
  private[this] var ahead: T = _
  private[this] var said = Long.MinValue

  def outlet(worker: Int): Outlet[T] = all(worker)

  /** The next result; null when there is none yet. */
  def poll(): T =
    if (ahead == null) output.getNextReadyTuple()
    else {
      val result = ahead
      ahead = null.asInstanceOf[T]
      result
    }

  def isDone: Boolean = ahead == null && output.isDone

  /** No result that is still to come has a later tuple before this time. What all workers have
    * promised counts only once the results before it were taken; so a result that is ready is. A
    * worker's promise reaches the gate before it is seen here: a result may be further than what is
    * seen next, which must not take back what was said.
    */
  def frontier: Long = {
    val promised = all.iterator.map(_.promised).min // before the gate is read
    if (ahead == null) ahead = output.getNextReadyTuple()
    val now =
      if (ahead != null) order.ts(ahead) else if (output.isDone) Long.MaxValue else promised
    said = math.max(said, now)
    said
  }
}

/** Where one worker hands its results over. Its thread's, but for [[promised]]. */
final private[join] class Outlet[T <: AnyRef](
    source: GateSource[T],
    punctuation: StreamTuple => T
) {
  @volatile private[this] var promisedTs = Long.MinValue

  /** The time before which nothing comes from here any more. Any thread. */
  def promised: Long = promisedTs

  /** Hands a result over; waits for room, and throws [[Stopped]] if the join ends meanwhile. */
  def emit(result: T, idle: IdleStrategy, isStopped: () => Boolean): Unit =
    if (!source.tryAdd(result)) {
      while (!source.tryAdd(result)) {
        if (isStopped()) throw new Stopped
        idle.idle()
      }
      idle.reset()
    }

  def promise(passed: StreamTuple): Unit = {
    source.advance(punctuation(passed))
    promisedTs = passed.ts
  }

  def close(): Unit = {
    source.close()
    promisedTs = Long.MaxValue
  }
}

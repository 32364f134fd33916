package io.scalegate.stream

/** Where one physical stream enters an operator. One thread at a time. */
trait TupleSource {

  /** The number that its tuples carry. */
  def id: Int

  /** Delivers a tuple that sorts after whatever this source has delivered or promised; false when
    * the source is full. Lock-free, unless the operator says otherwise.
    */
  def tryAdd(t: StreamTuple): Boolean

  /** Delivers a tuple, idling while the source is full. Needs another thread to take the results.
    *
    * @throws java.lang.InterruptedException
    *   if the thread is interrupted while it waits; the tuple was not delivered
    */
  def add(t: StreamTuple, idle: IdleStrategy): Unit

  /** Promises that no tuple before `ts` comes from this source any more. */
  def advance(ts: Long): Unit

  /** No tuple comes from this source any more. A second call is void. */
  def close(): Unit
}

/** A source that waits for room by asking again. */
private[scalegate] trait WaitingSource extends TupleSource {
  final def add(t: StreamTuple, idle: IdleStrategy): Unit = {
    if (!tryAdd(t)) Waiting.forRoom(this, idle)(tryAdd(t))
    idle.reset()
  }
}

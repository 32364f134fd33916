package io.scalegate.join.ordered

import io.scalegate.gate.{GateSource, ScaleGate}
import io.scalegate.stream.{EventOrder, StreamTuple, Waiting}

/** The workers' results in their order: each worker is a source of an output gate, as in ScaleJoin
  * (`SG_out`). [[poll]], [[isDone]] and [[frontier]] are the consumer's.
  *
  * @param punctuation
  *   the promise that no result of the given tuple or of one before it is to come
  */
final private[scalegate] class MergedResults[T <: AnyRef](
    order: EventOrder[T],
    capacity: Int,
    punctuation: StreamTuple => T,
    workers: Int
) {
  private[this] val gate = new ScaleGate[T](order, capacity)
  private[this] val all = Vector.fill(workers)(new Outlet(gate.addSource(), punctuation))
  private[this] val output = gate.addReader()

  def outlet(worker: Int): Outlet[T] = all(worker)

  /** For a worker more, none of whose results may sort before what has been given. */
  def addOutlet(): Outlet[T] = new Outlet(gate.addSource(), punctuation)

  /** The next result; null when there is none yet. */
  def poll(): T = output.getNextReadyTuple()

  def isDone: Boolean = output.isDone

  /** No result that is still to come has a later tuple before this time. */
  def frontier: Long = output.horizon()
}

/** Where one worker hands its results over. Its thread's. */
final private[join] class Outlet[T <: AnyRef](
    source: GateSource[T],
    punctuation: StreamTuple => T
) {

  /** Hands a result over, and waits for room. */
  def emit(result: T, room: Waiting): Unit =
    if (!source.tryAdd(result)) room.until(source.tryAdd(result))

  /** Says nothing new, and does nothing, if something later was handed over or promised. */
  def promise(passed: StreamTuple): Unit = source.advance(punctuation(passed))

  def close(): Unit = source.close()
}

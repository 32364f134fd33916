package io.scalegate.gate

import io.scalegate.stream.EventOrder

/** A reader's handle on a [[ScaleGate]]: `getNextReadyTuple` of ScaleJoin's Algorithm 2.
  *
  * Every reader gets every ready tuple, in order. One thread at a time may use a reader.
  */
final class GateReader[T <: AnyRef] private[gate] (
    private[gate] val gate: ScaleGate[T],
    private[this] var head: Node[T],
    private[gate] val progress: Progress[T]
) {
  private[this] val order: EventOrder[T] = gate.order
  private[this] val batch = math.max(1, math.min(GateReader.CleaningBatch, gate.capacity / 4))
  private[this] var passed = progress.getPlain
  private[this] var cleanAt = passed + batch

  private[this] var sources: Array[Frontier[T]] = _
  private[this] var frontiers: Frontiers[T] = _

  /** What sorts at or before the bound is ready: null, nothing is. */
  private[this] var bound: Node[T] = _
  private[this] var boundTs = Long.MinValue
  private[this] var unbounded = false

  private[this] var misses = 0

  /** Whether all was read when the reader was closed. */
  private[this] var ended = false

  /** The next ready tuple, or null when there is none yet. Wait-free but for a retry for each
    * source that joins or leaves meanwhile.
    */
  def getNextReadyTuple(): T = {
    checkOpen()
    val next = head.getAcquire
    if (next == null) miss()
    else if (isReady(next)) pass(next)
    else if (raiseBound(next)) pass(head.getAcquire) // the link again, after the frontiers
    else miss()
  }

  /** Whether every source has closed and this reader has passed every tuple. Once true, always
    * true; of a reader that was closed before, never.
    */
  def isDone: Boolean =
    if (head == null) ended else gate.isFinished && head.getAcquire == null

  /** No tuple that this reader has still to read has a time below it: what it has to wait for is
    * not there yet. `Long.MaxValue` once it is done. It never falls.
    */
  def horizon(): Long = {
    checkOpen()
    settleBound()
    val next = head.getAcquire // the link after the frontiers, as when reading
    val promised = if (unbounded) Long.MaxValue else boundTs
    if (next == null) promised else math.min(promised, next.ts)
  }

  /** How many tuples lie before this reader's position since the gate was made. */
  def position: Long = passed

  /** Adds a reader that starts where this one stands. Called from this reader's thread. */
  def fork(): GateReader[T] = {
    checkOpen()
    gate.addReaderAt(head, passed)
  }

  /** Removes the reader: no tuple waits for it any more. A second call is void. */
  def close(): Unit = if (head != null) {
    gate.trail.leave(progress)
    ended = isDone
    head = null
    frontiers = null
    sources = null
    bound = null
    gate.trail.settle()
  }

  private[this] def checkOpen(): Unit =
    if (head == null) throw new IllegalStateException("the reader is closed")

  private[this] def isReady(node: Node[T]): Boolean =
    node.ts < boundTs || unbounded || (node.ts == boundTs && node.isWithin(bound, order))

  /** Raises the bound to the lowest frontier if that makes `next` ready. */
  private[this] def raiseBound(next: Node[T]): Boolean = {
    var present = gate.currentSources
    while (canReach(next, present)) {
      if (unbounded || hasRaised(present)) return true
      present = gate.currentSources
    }
    false
  }

  /** Raises the bound as far as it goes. */
  private[this] def settleBound(): Unit = {
    var isSettled = false
    while (!isSettled) {
      val present = gate.currentSources
      look(present)
      if (!unbounded) frontiers.settle()
      isSettled = unbounded || frontiers.lowest == null || hasRaised(present)
    }
  }

  /** Raises the bound to the lowest frontier; false if the sources have changed meanwhile. */
  private[this] def hasRaised(present: Array[Frontier[T]]): Boolean = {
    val lowest = frontiers.lowest
    progress.bound = lowest // volatile, and only then are the sources read again
    val same = gate.currentSources eq present
    if (same) {
      bound = lowest
      boundTs = lowest.ts
    }
    same
  }

  private[this] def canReach(next: Node[T], present: Array[Frontier[T]]): Boolean = {
    look(present)
    unbounded || frontiers.reach(next)
  }

  private[this] def look(present: Array[Frontier[T]]): Unit = if (present ne sources) {
    sources = present
    frontiers = new Frontiers[T](present, order)
    unbounded = gate.isLast(present)
    if (unbounded) progress.bound = null // no source comes that would ask for it
  }

  private[this] def pass(node: Node[T]): T = {
    val tuple = node.tuple
    head = node
    misses = 0
    passed += 1
    progress.setRelease(passed) // after the tuple is read: now it may be dropped
    if (passed >= cleanAt) {
      cleanAt = passed + batch
      gate.trail.tryClean(settle = false)
    }
    tuple
  }

  /** The second miss in a row is the time to clean thoroughly, once. */
  private[this] def miss(): T = {
    if (misses == 0) misses = 1
    else if (misses == 1 && gate.trail.tryClean(settle = true)) misses = 2
    null.asInstanceOf[T]
  }
}

private object GateReader {
  val CleaningBatch = 64
}

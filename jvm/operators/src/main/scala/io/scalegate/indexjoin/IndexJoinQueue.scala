package io.scalegate.indexjoin

import java.util.concurrent.atomic.{AtomicBoolean, AtomicLong}

import io.scalegate.gate.GateReader
import io.scalegate.join.JoinResult
import io.scalegate.stream.{Side, Sides, StreamTuple}

/** The shared work queue of a [[ParallelIndexJoin]] (PIM-Tree §4.1): ready tuples in their order,
  * from the moment they are assigned to a thread until their results were taken.
  *
  * @param outputCapacity
  *   results that may wait for the consumer before no more tuples are assigned
  */
final private[scalegate] class IndexJoinQueue(
    input: GateReader[StreamTuple],
    windows: Sides[IndexJoinSharedWindow],
    outputCapacity: Int
) {
  /*
   *      consumed         edge                        assigned
   *   ------+---------------+---------------------------+------
   *         | completed and | completed   active   ...  |          available: in the gate
   *         | indexed       |                           |
   *
   * The ring holds the entries from the smaller of `consumed` and `edge` to `assigned`. Available
   * tuples wait in the gate, which bounds them and holds them in order.
   *
   * `assigned`  moves in `acquire`, under a test-and-set lock: one thread at a time reads the
   *             gate, slides the windows and records boundaries. A thread that finds it taken
   *             goes on with something else.
   * `edge`      is the first entry that is not known to be indexed, moved by test-and-set: who
   *             finds it taken leaves it to the other, at worst to the next `acquire`. The
   *             windows' edge tuples move with it. The paper has an edge for each stream, moved
   *             over marks in the window; one over the queue needs no marks, and both edges are
   *             at most the tuples under way behind those.
   * `consumed`  is the consumer's.
   *
   * What no thread searches for any more lies before the heads that the entry at the edge has
   * recorded: entries before the edge are done, and entries behind it have recorded the same heads
   * or later ones. An entry's own row lies behind the heads that it has recorded.
   *
   * Memory order: `assigned` is written after the entries before it, so whoever has read it may
   * read them. A completed entry's results are written before `isCompleted`, its insertion has
   * returned before `isIndexed` is set, and with it before an edge beyond it is read. An entry is
   * reused only when both the consumer and the edge are past it, and by the thread that holds the
   * lock: so who holds the lock may read the entry at the edge.
   */
  private[this] val r = windows(Side.R)
  private[this] val s = windows(Side.S)
  private[this] val entries = Array.fill(IndexJoinQueue.Capacity)(new IndexJoinEntry)
  private[this] val acquiring = new AtomicBoolean
  private[this] val moving = new AtomicBoolean
  private[this] val waiting = new AtomicLong // results
  @volatile private[this] var assigned = 0L
  @volatile private[this] var edge = 0L
  @volatile private[this] var consumed = 0L
  @volatile private[this] var ended = false
  private[this] var taken = 0 // the consumer's: of the entry at `consumed`
  @volatile private[this] var promised =
    Long.MinValue // no tuple still to be assigned is before it
  private[this] var passed = Long.MinValue // the consumer's: the time of the last entry it was at

  /** Whether no thread will get a task any more. */
  def isExhausted: Boolean = ended

  /** Whether every result was taken. The consumer's. */
  def isDone: Boolean = ended && consumed == assigned

  def entry(number: Long): IndexJoinEntry =
    entries((number & (IndexJoinQueue.Capacity - 1)).toInt)

  /** Assigns up to `size` tuples to the calling thread, as a task that is told of them. False when
    * there is none, too many results wait, or another thread is here.
    */
  def acquire(size: Int, task: IndexJoinTask): Boolean = {
    task.set(0, 0)
    if (acquiring.compareAndSet(false, true)) {
      moveEdge()
      release()
      if (waiting.get < outputCapacity) fill(size, task)
      acquiring.set(false) // not after an exception: a tuple is missing, so no other may follow
    }
    task.size > 0
  }

  /** Tells the consumer of an entry's results. */
  def complete(entry: IndexJoinEntry): Unit = {
    if (entry.count > 0) waiting.addAndGet(entry.count.toLong)
    entry.isCompleted = true
  }

  /** Moves the edge over all that is indexed, unless another thread is at it. */
  def moveEdge(): Unit =
    if (moving.compareAndSet(false, true))
      try {
        val until = assigned
        var e = edge
        var edgeR = r.edge
        var edgeS = s.edge
        while (e < until && entry(e).isIndexed) {
          val done = entry(e)
          if (done.position != IndexJoinSharedWindow.NotStored)
            if (done.isOfR) edgeR = done.position + 1 else edgeS = done.position + 1
          e += 1
        }
        if (e > edge) {
          // R's and S's window may be one, whose edge is that of S's tuples.
          if (edgeR > r.edge) r.edge = edgeR
          if (edgeS > s.edge) s.edge = edgeS
          edge = e
        }
      } finally moving.set(false)

  /** The next result, or null. The consumer's. */
  def poll(): JoinResult = {
    while (consumed < assigned && entry(consumed).isCompleted) {
      val head = entry(consumed)
      passed = head.tuple.ts
      if (head.count > 0) return take(head)
      free(head)
    }
    null
  }

  /** No result still to come has a later tuple with a time below it. The consumer's. */
  def frontier: Long = {
    val time = promised // before `assigned`: it holds for what was not assigned then
    if (consumed < assigned) entry(consumed).tuple.ts else math.max(passed, time)
  }

  private[this] def take(head: IndexJoinEntry): JoinResult = {
    val result = new JoinResult(head.tuple, head.found(taken))
    taken += 1
    if (taken == head.count) free(head)
    result
  }

  private[this] def free(head: IndexJoinEntry): Unit = {
    if (taken > 0) waiting.addAndGet(-taken.toLong)
    taken = 0
    head.clear()
    consumed += 1
  }

  private[this] def release(): Unit = {
    val e = edge
    val isIdle = e == assigned
    r.release(if (isIdle) r.head else entry(e).headR)
    s.release(if (isIdle) s.head else entry(e).headS)
  }

  private[this] def fill(size: Int, task: IndexJoinTask): Unit = {
    val from = assigned
    val until = math.min(from + size, math.min(consumed, edge) + IndexJoinQueue.Capacity)
    var n = from
    var t = if (n < until) input.getNextReadyTuple() else null
    while (t != null) {
      enter(t, entry(n))
      n += 1
      t = if (n < until) input.getNextReadyTuple() else null
    }
    assigned = n
    task.set(from, n)
    if (n == from && input.isDone) ended = true
    else if (n < until) promised = input.horizon()
  }

  private[this] def enter(t: StreamTuple, into: IndexJoinEntry): Unit = {
    val opposite = windows(t.side.opposite)
    into.isCompleted = false
    into.isIndexed = false
    into.tuple = t
    into.isOfR = t.side eq Side.R
    into.last = opposite.reach(t)
    into.first = opposite.head
    into.headR = r.head
    into.headS = s.head
    into.position = windows(t.side).take(t)
  }
}

private[scalegate] object IndexJoinQueue {

  /** Tuples under way, a power of two: with it goes the longest scan of what is not indexed. */
  val Capacity = 1024
}

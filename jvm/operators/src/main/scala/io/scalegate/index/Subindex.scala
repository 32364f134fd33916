package io.scalegate.index

import java.util.concurrent.atomic.AtomicInteger

import io.scalegate.stream.SpinLock

/** One of the subindexes of a [[ConcurrentPimTree]] (`B_i` in PIM-Tree §3.3.1), with its lock.
  * Every method is one step to all threads. A thread that holds the lock takes no other but that
  * of a subindex of the next generation.
  *
  * @param counter
  *   of all insertions of the tree; this subindex adds to it `grain` at a time
  */
final private[index] class Subindex(counter: AtomicInteger, grain: Int) extends SpinLock {
  // All of it guarded by the lock.
  private[this] var active = new BPlusTree
  private[this] var frozen: BPlusTree = _ // what a merge has taken; stays in the answers
  private[this] var counted = 0 // of the active tree's entries, those that the counter knows
  private[this] var closed = false // to insertions: the contents are leaving or have left
  private[this] var handedOver = 0 // of the active tree's entries, those that the next one has

  /** Written under the lock; once true nothing here changes any more. */
  @volatile private[this] var left = false

  /** False when the contents go to the next generation: insert there. */
  def tryInsert(key: Long, value: Int, position: Long): Boolean = {
    acquire()
    try {
      if (!closed) {
        active.insert(key, value, position)
        if (active.size - counted >= grain) count(active.size)
      }
      !closed
    } finally release()
  }

  /** One that has left still answers, with what it held then. */
  def search(query: RangeQuery, first: Long, out: PositionBuffer): Unit = {
    acquire()
    try {
      if (frozen != null) frozen.search(query, first, out)
      active.search(query, first, out)
    } finally release()
  }

  /** Sets aside what was inserted so far, for the merge that calls this: nobody changes the
    * returned tree while that merge runs. What was set aside for an earlier merge that failed is
    * in it.
    */
  def freeze(): BPlusTree = {
    acquire()
    try {
      if (frozen == null) {
        val next = new BPlusTree
        frozen = active
        active = next
      } else {
        absorb()
      }
      count(0)
      frozen
    } finally release()
  }

  /** Hands what came since [[freeze]] over to the next generation; a second call is void. After
    * a call that threw, for want of memory, the next one goes on where that ended.
    */
  def leaveFor(next: PimGeneration): Unit =
    if (!left) {
      acquire()
      try
        if (!left) {
          closed = true
          val run = activeEntries
          while (handedOver < run.size) {
            val key = run.keys(handedOver)
            next
              .subindex(key)
              .tryInsert(key, run.values(handedOver), run.positions(handedOver))
            handedOver += 1
          }
          count(0)
          left = true
        }
      finally release()
    }

  def size: Int = {
    acquire()
    try active.size + (if (frozen == null) 0 else frozen.size)
    finally release()
  }

  def bytes: Long = {
    acquire()
    try active.bytes + (if (frozen == null) 0 else frozen.bytes)
    finally release()
  }

  private[this] def count(entries: Int): Unit = {
    counter.addAndGet(entries - counted)
    counted = entries
  }

  /** Moves the active entries to the frozen tree. */
  private[this] def absorb(): Unit = {
    val run = activeEntries
    var i = 0
    while (i < run.size) {
      frozen.insert(run.keys(i), run.values(i), run.positions(i))
      active.removeFirst(run.keys(i))
      i += 1
    }
  }

  private[this] def activeEntries: SortedRun = {
    val run = new SortedRun
    run.append(active)
    run
  }
}

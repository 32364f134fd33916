package io.scalegate.gate

import java.util.concurrent.atomic.{AtomicBoolean, AtomicReferenceArray}

import io.scalegate.stream.EventOrder

/** The boundary between the tuples that every reader has passed and those that some reader still
  * needs (ScaleJoin §V-C leaves the prefix to the garbage collector; here it is cut off, so that
  * payloads go at once and an old dead node cannot keep younger ones alive).
  *
  * Any thread may clean; one at a time does. Nobody waits for a cleaner except to add or remove a
  * reader.
  */
final private[gate] class Trail[T <: AnyRef](order: EventOrder[T]) {
  private[this] val locked = new AtomicBoolean

  /** Per level, the last passed node of that height: stored with release before the links of the
    * nodes before it are severed, so who meets a severed link finds a later node here.
    */
  private[this] val last = {
    val sentinel = Node.sentinel[T]()
    new AtomicReferenceArray[Node[T]](Array.fill(Node.MaxHeight)(sentinel))
  }

  /** How many tuples lie before the boundary. Guarded by the lock. */
  private[this] var passed = 0L

  /** Counters that may hold a payload. Guarded by the lock. */
  private[this] var laden: Counter[T] = _

  /** Written under the lock. */
  @volatile private[this] var readers = new Array[Progress[T]](0)

  /** The highest bound of the readers that left; volatile, written under the lock. */
  private[this] val left = new Progress[T](0L)

  /** A node of at least `level + 1` levels that sorts before whatever a source may insert. */
  def node(level: Int): Node[T] = last.getAcquire(level)

  /** Drops what every reader has passed, unless another thread is at it (then false). With
    * `settle`, the last payload of every source too; a pass that soon is followed by another can
    * leave it.
    */
  def tryClean(settle: Boolean): Boolean =
    locked.compareAndSet(false, true) && {
      try clean(settle)
      finally locked.set(false)
      true
    }

  /** Registers a reader at the slowest reader's position; with none, where the last one left. */
  def join[R](reader: (Node[T], Progress[T]) => R): R = exclusively {
    clean(settle = false)
    register(node(0), passed, reader)
  }

  /** Registers a reader at `head`, the node of a reader that does not move meanwhile. */
  def joinAt[R](head: Node[T], position: Long, reader: (Node[T], Progress[T]) => R): R =
    exclusively(register(head, position, reader))

  /** The reader's tuples no longer wait for it; what it may have read is remembered. */
  def leave(reader: Progress[T]): Unit = exclusively {
    clean(settle = false)
    left.bound = later(left.bound, reader)
    reader.bound = left.bound // a key that stays: who still sees the reader waits for no other
    readers = readers.filter(_ ne reader)
    clean(settle = true)
  }

  /** The highest bound that any reader may have read up to; null: none has a bound. */
  def highestBound: Node[T] = {
    val present = readers // before `left`: a reader that is missed here has been merged there
    present.foldLeft(later(null, left))(later)
  }

  private[this] def register[R](
      head: Node[T],
      position: Long,
      reader: (Node[T], Progress[T]) => R
  ): R = {
    val progress = new Progress[T](position)
    readers = readers :+ progress
    reader(head, progress)
  }

  private[this] def exclusively[R](body: => R): R = {
    while (!locked.compareAndSet(false, true)) Thread.onSpinWait()
    try body
    finally locked.set(false)
  }

  /** The later of `node` and the reader's bound, with its key. A bound whose tuple is gone was
    * passed, so its reader has published a later one.
    */
  private[this] def later(node: Node[T], reader: Progress[T]): Node[T] = {
    var bound = reader.bound
    var tuple = if (bound == null) null.asInstanceOf[T] else bound.tuple
    while (bound != null && tuple == null) {
      bound = reader.bound
      tuple = bound.tuple
    }
    if (bound == null || (node != null && !node.precedes(tuple, bound.ts, order))) node
    else Node.punctuation(order.key(tuple), bound.ts)
  }

  private[this] def clean(settle: Boolean): Unit = {
    val present = readers
    if (present.length > 0) {
      var target = Long.MaxValue
      var i = 0
      while (i < present.length) {
        target = math.min(target, present(i).getAcquire)
        i += 1
      }
      var node = last.getPlain(0)
      while (passed < target) {
        node = node.getAcquire
        drop(node)
        passed += 1
      }
    }
    if (settle) unload()
  }

  private[this] def drop(node: Node[T]): Unit = {
    val counter = node.counter
    val previous = counter.lastPassed
    if (previous != null) previous.tuple = null.asInstanceOf[T]
    counter.lastPassed = node
    if (!counter.laden) {
      counter.laden = true
      counter.nextLaden = laden
      laden = counter
    }
    counter.setRelease(counter.getPlain + 1)
    var level = node.height - 1
    while (level >= 0) {
      val before = last.getPlain(level)
      last.setRelease(level, node)
      before.sever(level)
      level -= 1
    }
  }

  /** Replaces the payload that each source's last passed tuple still holds. Its key stays: the
    * source compares its next tuple with it.
    */
  private[this] def unload(): Unit =
    while (laden != null) {
      val counter = laden
      counter.lastPassed.tuple = order.key(counter.lastPassed.tuple)
      laden = counter.nextLaden
      counter.nextLaden = null
      counter.laden = false
    }
}

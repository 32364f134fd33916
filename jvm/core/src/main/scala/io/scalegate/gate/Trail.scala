package io.scalegate.gate

import java.lang.invoke.VarHandle
import java.util.concurrent.atomic.{AtomicReference, AtomicReferenceArray}

import scala.annotation.tailrec

import io.scalegate.stream.{EventOrder, SpinLock}

/** The boundary between the tuples that every reader has passed and those that some reader still
  * needs (ScaleJoin §V-C leaves the prefix to the garbage collector; here it is cut off, so that
  * payloads go at once and an old dead node cannot keep younger ones alive).
  *
  * Any thread may clean; one at a time does. Nobody waits for a cleaner except to add or remove a
  * reader, and a cleaner runs no code but the gate's: the order's is called outside the lock.
  */
final private[gate] class Trail[T <: AnyRef](order: EventOrder[T]) {
  private[this] val lock = new SpinLock

  /** Per level, the last passed node of that height: stored with release before the links of the
    * nodes before it are severed, so who meets a severed link finds a later node here.
    */
  private[this] val last = {
    val sentinel = Node.sentinel[T]()
    new AtomicReferenceArray[Node[T]](Array.fill(Node.MaxHeight)(sentinel))
  }

  /** How many tuples lie before the boundary. Guarded by the lock. */
  private[this] var passed = 0L

  /** Counters whose `lastPassed` may hold a payload. Guarded by the lock. */
  private[this] var laden = List.empty[Counter[T]]

  /** Written under the lock. */
  @volatile private[this] var readers = new Array[Progress[T]](0)

  /** The highest bound of the readers that left, as a key that stays; null: none had one. */
  private[this] val left = new AtomicReference[Node[T]]

  /** A node of at least `level + 1` levels that sorts before whatever a source may insert. */
  def node(level: Int): Node[T] = last.getAcquire(level)

  /** Drops what every reader has passed, unless another thread is at it (then false). With
    * `settle`, the last payload of every source too; a pass that soon is followed by another can
    * leave it.
    */
  def tryClean(settle: Boolean): Boolean =
    lock.tryAcquire() && {
      val nodes =
        try {
          clean()
          if (settle) takeLaden() else Nil
        } finally lock.release()
      nodes.foreach(unload)
      true
    }

  /** Registers a reader at the slowest reader's position; with none, where the last one left. */
  def join[R](reader: (Node[T], Progress[T]) => R): R = exclusively {
    clean()
    register(node(0), passed, reader)
  }

  /** Registers a reader at `head`, the node of a reader that does not move meanwhile. */
  def joinAt[R](head: Node[T], position: Long, reader: (Node[T], Progress[T]) => R): R =
    exclusively(register(head, position, reader))

  /** The reader's tuples no longer wait for it; what it may have read is remembered. Called by the
    * reader's thread, and once more if the order fails it, which leaves the reader where it is.
    */
  def leave(reader: Progress[T]): Unit = {
    val bound = later(null, reader)
    if (bound != null) remember(bound)
    reader.bound = bound // its key stays: who still sees the reader has not to look again
    exclusively {
      clean() // up to where this reader stands, if it is the last
      readers = readers.filter(_ ne reader)
      clean()
    }
  }

  /** Drops the last payload of every source that every reader has passed. */
  def settle(): Unit = exclusively(takeLaden()).foreach(unload)

  /** The highest bound that any reader may have read up to; null: none has a bound. */
  def highestBound: Node[T] = {
    val present = readers // before `left`: a reader that is missed here is remembered there
    present.foldLeft(left.get)(later)
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
    lock.acquire()
    try body
    finally lock.release()
  }

  @tailrec
  private[this] def remember(bound: Node[T]): Unit = {
    val before = left.get
    val isHigher = before == null || before.precedes(bound.tuple, bound.ts, order)
    if (isHigher && !left.compareAndSet(before, bound)) remember(bound)
  }

  /** The later of `node` and the reader's bound, with its key. A bound whose tuple is gone was
    * passed by the reader, which has then stored another: a later one, or null at the end.
    */
  @tailrec
  private[this] def later(node: Node[T], reader: Progress[T]): Node[T] = {
    val bound = reader.bound
    val tuple = if (bound == null) null.asInstanceOf[T] else bound.tuple
    if (bound == null) node
    else if (tuple == null) later(node, reader)
    else if (node != null && !node.precedes(tuple, bound.ts, order)) node
    else Node.punctuation(order.key(tuple), bound.ts)
  }

  private[this] def clean(): Unit = {
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
  }

  private[this] def drop(node: Node[T]): Unit = {
    val counter = node.counter
    val previous = counter.lastPassed
    if (previous != null) previous.tuple = null.asInstanceOf[T]
    counter.lastPassed = node
    if (!counter.laden) {
      counter.laden = true
      laden ::= counter
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

  /** The nodes that hold the last passed payload of their source: to be unloaded. */
  private[this] def takeLaden(): List[Node[T]] = {
    val nodes = laden.map(_.lastPassed)
    laden.foreach(_.laden = false)
    laden = Nil
    nodes
  }

  /** Replaces the payload by its key, with which the source compares its next tuple. A node that is
    * cleared meanwhile may have its key again, which is as good.
    */
  private[this] def unload(node: Node[T]): Unit = {
    val tuple = node.tuple
    if (tuple != null) {
      val key = order.key(tuple)
      VarHandle.releaseFence() // what the key holds, before those see it that race
      node.tuple = key
    }
  }
}

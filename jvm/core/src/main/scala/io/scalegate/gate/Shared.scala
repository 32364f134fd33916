package io.scalegate.gate

import java.util.concurrent.atomic.{AtomicLong, AtomicReference}

/* What the threads of a gate tell each other. Each object is written by one party only (named in
 * its doc) and padded to the right, so that a write to one never takes another's cache line.
 */

/** A source's last delivered tuple or punctuation (`written` of Algorithm 2); null: none yet.
  *
  * Written by the source with release, after the tuple's node is linked at all its levels; read
  * by readers with acquire.
  */
final private[gate] class Frontier[T <: AnyRef](val name: String)
    extends AtomicReference[Node[T]] {
  var p01, p02, p03, p04, p05, p06, p07, p08, p09, p10, p11, p12, p13, p14, p15: Long = 0L
}

/** How many of a source's tuples have left the gate. Written under the trail's lock, the count
  * with release; the source reads the count with acquire.
  */
final private[gate] class Counter[T <: AnyRef] extends AtomicLong {

  /** The source's last tuple that every reader has passed; it alone may still hold a payload. */
  var lastPassed: Node[T] = _

  /** Whether the trail knows that `lastPassed` may hold a payload. */
  var laden = false
  var p01, p02, p03, p04, p05, p06, p07, p08, p09, p10, p11, p12, p13, p14, p15: Long = 0L
}

/** How many tuples a reader has passed, and up to where it may read. Written by the reader: the
  * count with release after it took the tuple, the bound volatile (see "Adding a source" in
  * [[ScaleGate]]). The bound is null before the first, and again when every source has closed: it
  * is there for sources that come.
  */
final private[gate] class Progress[T <: AnyRef](start: Long) extends AtomicLong(start) {
  @volatile var bound: Node[T] = _
  var p01, p02, p03, p04, p05, p06, p07, p08, p09, p10, p11, p12, p13, p14, p15: Long = 0L
}

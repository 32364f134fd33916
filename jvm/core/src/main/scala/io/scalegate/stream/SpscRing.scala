package io.scalegate.stream

/** A bounded first-in-first-out queue from one thread to another: the links of the handshake
  * joins' chain and of SplitJoin's tree, and from DP-Join's emitter to its writers. Wait-free. One
  * thread puts in and another takes out; each calls only what is said to be its own.
  *
  * @param isNumbered
  *   whether each element comes with a number
  */
final class SpscRing[T <: AnyRef](minCapacity: Int, isNumbered: Boolean) {
  /*
   * Lamport's ring: an element's slot is its number modulo a power of two.
   *
   *      head              tail
   *   ----+---------------+--------+        tail - head <= capacity
   *       | to be taken   | free   |
   *
   * Each end keeps its own counter and a copy of the other's, which it reads again only when the
   * copy says full or empty: so while the queue is neither, an element costs no cache miss but its
   * own.
   *
   * Memory order: a slot is written before `tail` is stored (release), and read after `tail` was
   * read (acquire); it is emptied before `head` is stored (release), and written again after
   * `head` was read (acquire). `closed` is volatile and written after the last element, so whoever
   * reads it and then finds the queue empty has taken all.
   */
  require(minCapacity > 0, s"a ring needs room for an element, not $minCapacity")

  private[this] val size = Integer.highestOneBit(math.min(minCapacity, 1 << 29) * 2 - 1)
  private[this] val mask = size - 1L
  private[this] val slots = new Array[AnyRef](size)
  private[this] val numbers = new Array[Long](if (isNumbered) size else 0)
  private[this] val tail = new PaddedCounter
  private[this] val head = new PaddedCounter
  private[this] val seenHead = new PaddedCounter // the producer's copy, plain
  private[this] val seenTail = new PaddedCounter // the consumer's copy, plain
  @volatile private[this] var closed = false

  def this(minCapacity: Int) = this(minCapacity, false)

  def capacity: Int = size

  /** Whether so many elements can be put in. The producer's. */
  def hasRoom(elements: Int): Boolean = {
    val next = tail.getPlain
    next + elements - seenHead.getPlain <= size || {
      seenHead.setPlain(head.getAcquire)
      next + elements - seenHead.getPlain <= size
    }
  }

  /** Puts an element in; false when there is no room. The producer's. */
  def offer(element: T): Boolean = hasRoom(1) && {
    put(element, tail.getPlain)
    true
  }

  /** The same for a ring whose elements have numbers. The producer's. */
  def offer(element: T, number: Long): Boolean = hasRoom(1) && {
    val next = tail.getPlain
    numbers((next & mask).toInt) = number
    put(element, next)
    true
  }

  /** No element follows. The producer's. */
  def close(): Unit = closed = true

  /** The next element, which stays; null when there is none yet. The consumer's. */
  def peek(): T = {
    val next = head.getPlain
    if (next == seenTail.getPlain) seenTail.setPlain(tail.getAcquire)
    (if (next == seenTail.getPlain) null else slots((next & mask).toInt)).asInstanceOf[T]
  }

  /** The number of the element that [[peek]] gave. The consumer's. */
  def number: Long = numbers((head.getPlain & mask).toInt)

  /** Takes the next element out; null when there is none yet. The consumer's. */
  def poll(): T = {
    val element = peek()
    if (element != null) {
      val next = head.getPlain
      slots((next & mask).toInt) = null
      head.setRelease(next + 1)
    }
    element
  }

  /** Whether the queue was closed and every element taken. The consumer's. */
  def isDone: Boolean = closed && peek() == null

  private[this] def put(element: T, next: Long): Unit = {
    slots((next & mask).toInt) = element
    tail.setRelease(next + 1)
  }
}

package io.scalegate.gate

import java.util.concurrent.atomic.{AtomicInteger, AtomicReference, AtomicReferenceArray}

import scala.annotation.tailrec

import io.scalegate.stream.EventOrder

/** Merges any number of sorted streams into one sorted stream of ready tuples that any number of readers
  * read, each in full: the ScaleGate of ScaleJoin §IV-A, Algorithm 2.
  *
  * @param order
  *   the total order of the tuples; no two tuples of a gate may have the same key
  * @param capacity
  *   how many tuples of one source may wait for the slowest reader
  */
final class ScaleGate[T <: AnyRef](val order: EventOrder[T], val capacity: Int) {
  require(capacity > 0, s"a gate needs room for a tuple of each source, not $capacity")

  private[gate] val trail = new Trail[T](order)
  private[this] val finished = new Array[Frontier[T]](0)
  private[this] val sources = new AtomicReference(new Array[Frontier[T]](0))
  private[this] val created = new AtomicInteger
  private[this] val fingers = new AtomicReferenceArray[Fingers[T]](16)

  /** Adds a source. It may deliver what sorts after [[GateSource.promised]]: anything, until a reader has
    * read. From this call on nothing is ready that sorts after what readers may have read, until the
    * source delivers, advances or closes.
    *
    * @throws java.lang.IllegalStateException
    *   if every source has closed: the readers may have seen the end
    */
  def addSource(name: String): GateSource[T] = {
    val frontier = new Frontier[T](name)
    register(frontier)
    frontier.set(trail.highestBound) // after the registration: see "Adding a source"
    new GateSource[T](this, frontier)
  }

  def addSource(): GateSource[T] = addSource(s"source ${created.getAndIncrement()}")

  /** Adds a reader where the slowest reader stands; where the last one left, if there is none. Waits for
    * a cleaning pass that is under way.
    */
  def addReader(): GateReader[T] = trail.join(new GateReader[T](this, _, _))

  /** The paper's name for [[GateSource.tryAdd]]. */
  def addTuple(tuple: T, source: GateSource[T]): Boolean = {
    require(source.gate eq this, s"${source.name} belongs to another gate")
    source.tryAdd(tuple)
  }

  /** The paper's name for [[GateReader.getNextReadyTuple]]. */
  def getNextReadyTuple(reader: GateReader[T]): T = {
    require(reader.gate eq this, "the reader belongs to another gate")
    reader.getNextReadyTuple()
  }

  /** Whether there were sources and all have closed. */
  def isFinished: Boolean = isLast(currentSources)

  private[gate] def currentSources: Array[Frontier[T]] = sources.get

  private[gate] def isLast(present: Array[Frontier[T]]): Boolean = present eq finished

  private[gate] def addReaderAt(head: Node[T], position: Long): GateReader[T] =
    trail.joinAt(head, position, new GateReader[T](this, _, _))

  @tailrec
  private[gate] def remove(source: Frontier[T]): Unit = {
    val present = sources.get
    val rest = present.filter(_ ne source)
    if (!sources.compareAndSet(present, if (rest.isEmpty) finished else rest)) remove(source)
  }

  /** The thread's fingers, shared by the sources that it feeds. A lost race or a shared slot costs
    * longer searches, nothing else.
    */
  private[gate] def fingersOf(thread: Thread): Fingers[T] = {
    val slot = System.identityHashCode(thread) & (fingers.length - 1)
    val present = fingers.get(slot)
    if (present != null && (present.owner eq thread)) present
    else {
      val own = new Fingers[T](thread, trail, order)
      fingers.set(slot, own)
      own
    }
  }

  @tailrec
  private[this] def register(frontier: Frontier[T]): Unit = {
    val present = sources.get
    if (isLast(present))
      throw new IllegalStateException(
        s"cannot add ${frontier.name}: every source of the gate has closed"
      )
    if (!sources.compareAndSet(present, present :+ frontier)) register(frontier)
  }
}

object ScaleGate {

  /** A gate with its sources and readers, all registered before the first tuple. */
  def apply[T <: AnyRef](
      order: EventOrder[T],
      capacity: Int,
      sources: Int,
      readers: Int
  ): (ScaleGate[T], IndexedSeq[GateSource[T]], IndexedSeq[GateReader[T]]) = {
    val gate = new ScaleGate[T](order, capacity)
    (gate, Vector.fill(sources)(gate.addSource()), Vector.fill(readers)(gate.addReader()))
  }
}

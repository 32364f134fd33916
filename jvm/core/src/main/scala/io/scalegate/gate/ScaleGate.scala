package io.scalegate.gate

import java.util.concurrent.atomic.{AtomicInteger, AtomicReference, AtomicReferenceArray}

import scala.annotation.tailrec

import io.scalegate.stream.EventOrder

/** Merges any number of sorted streams into one sorted stream of ready tuples that any number of
  * readers read, each in full: the ScaleGate of ScaleJoin §IV-A, Algorithm 2.
  *
  * A tuple is ready when, for every open source, it sorts at or before what that source last
  * delivered or promised. The last tuple is handed out as soon as that holds. Before every open
  * source has delivered or advanced nothing is ready. With no reader the gate keeps its tuples
  * for the one that comes.
  *
  * One thread at a time uses a [[GateSource]] or [[GateReader]]; different handles are used
  * concurrently, and the methods of the gate by any thread. A thread that feeds several sources
  * feeds them in merged order and, before it waits for room in one, advances the others to the
  * tuple that waits.
  *
  * Progress: delivering, advancing, closing a source and adding one are lock-free, and so is
  * reading (a retry means that a source delivered, joined or left). Adding or removing a reader
  * waits, idling, for a cleaning pass that is under way. A source may be told that it is full while
  * another thread is making room. No code of the order runs where others wait for it.
  *
  * @param order
  *   the total order of the tuples; no two tuples of a gate may have the same key
  * @param capacity
  *   how many tuples of one source may wait for the slowest reader; a full source takes no room
  *   from others
  */
final class ScaleGate[T <: AnyRef](val order: EventOrder[T], val capacity: Int) {
  /*
   * The list. One sorted linked list of nodes holds the tuples of all sources; one node in four
   * has a shortcut to the next such node, one in sixteen a second, and so on, as in a skip list:
   *
   *   level 1   S ------------> 3/b ------------------------> 9/a
   *   level 0   S --> 2/a ----> 3/b ----> 5/c ----> 7/a ----> 9/a     (time/source)
   *             ^ trail         ^ head of a reader  ^ lowest frontier: 5/c and 7/a are ready
   *
   * A source links a node at level 0 by compare-and-set, then at its upper levels, then publishes
   * it as its frontier. From the first link on it runs no code but the gate's: an order that fails
   * does so before, and nothing was delivered. It asks for the node's place at all levels first;
   * should a node of the same time have come between at an upper level meanwhile, which only the
   * order could compare, the node does without the shortcuts from that level on: its height is
   * lowered, and it is a node of that height to all who meet it. Nodes are never removed from the
   * middle, and nothing is ever inserted at or before a tuple that was handed out, so all readers
   * pass the same nodes in the same order and a reader's position is a number.
   *
   * Departures from Algorithm 2. It withholds the node that is its source's last; here the last
   * tuple of each source is its frontier, and the lowest frontier is the bound up to which a
   * reader may go. So the last tuple is ready on time, a punctuation is a frontier without a
   * node, and no reader ever stands on a node behind which it would not look again.
   *
   * Linearization. A delivery and an advance take effect when the frontier is stored; a close and
   * the addition of a source when the array of sources is replaced. A read that returns a tuple
   * takes effect at its last read of the head's link, after the frontiers that make it ready; one
   * that returns null at its first read of that link: some frontier was then below the tuple
   * found, or there was none.
   *
   * Frontiers first, then the link. A reader that finds the head's successor x not ready reads
   * frontiers, and when they have reached x reads the link again. Had it kept x, it could miss a
   * y before x that was linked after x was read: y's frontier was then stored after y was linked,
   * so a reader that has read that frontier finds y at the head's link.
   *
   * Adding a source. The new source must not deliver at or below what a reader may have read. The
   * source stores itself in the array (its frontier is lower than everything) and then reads
   * every reader's bound; a reader stores its new bound and then reads the array again, and gives
   * the bound up if the array has changed. All four are volatile, hence in one order that all
   * threads agree on. If the reader's second read misses the source, then the bound was stored
   * before the source was, so the source reads that bound or a later one and starts at it. If it
   * does not miss it, the reader waits for the source's frontier. A bound that was given up may
   * still have been read: the source then starts higher than it had to, which its `promised`
   * tells. Readers that left are remembered by the highest bound among them. When the last source
   * closes, the array becomes one that takes no source any more. A reader that sees it takes its
   * bound back, for it goes on to the end without one: so a bound whose tuple was cleared, which
   * its reader has passed, is not its bound any more.
   *
   * Cleaning. Whoever holds the trail's lock (sources and readers only try it) walks from the trail to
   * the slowest reader's position, counts each node for its source and severs the links of the
   * nodes before it. A thread whose finger is severed goes on from the trail, level by level: the
   * trail of a level is stored before anything before it is severed, and sorts before whatever
   * may still be inserted, because it was ready. A node is ready only after it was linked at all
   * levels of its height (its own source's frontier is stored last), so a passed node is never linked any
   * more. Severing matters: a dead node that has reached the old generation would otherwise keep
   * all nodes after it alive until a full collection.
   *
   * Retained: what lies after the slowest reader's head, and up to `min(64, capacity / 4)` tuples
   * before it, until its next batch or until it finds nothing ready twice in a row; then also the
   * payload of each source's last tuple goes, and its key stays: found under the lock, made and
   * stored after it was given back. Per level the trail's last node, emptied.
   *
   * Memory order.
   *   Node.tuple      plain. Published with the node, later written by cleaners: null under the
   *                   trail's lock, a key without it, after a release fence. In either order: a
   *                   reader takes the tuple before it releases its position, and who looks later
   *                   wants the place only; who finds null knows that every reader has passed it.
   *   Node.height     plain. Written by its source before the frontier; read by cleaners, once every
   *                   reader has passed the node.
   *   Node's links    plain before the node is linked; compare-and-set (volatile) to insert;
   *                   acquire to follow; release to sever, after the trail was stored.
   *   Frontier        release by the source, after the links; acquire by readers.
   *   Progress        position: release by the reader, after it took the tuple; acquire by
   *                   cleaners. bound: volatile, with the array of sources: the protocol above.
   *   Counter         release by the cleaner; acquire by its source.
   *   Trail's nodes   release by the cleaner; acquire by sources.
   *
   * Everything else in a handle belongs to the thread that uses it.
   *
   * Checked. `ScaleGateLincheckSuite`: every operation against a definition, with sources and readers
   * that come and go and a gate that is full, and that each but those of readers that come and go is
   * lock-free. By jcstress: the frontier's store in `FrontierPublication`, and after the link in
   * `ConcurrentInserts`; a read's last look at the link in `LostInsert`; the bounds in
   * `SourceAddition`; the end in `LastClose` and `CloseAtEnd`; cleaning in `PayloadClearing`,
   * `ClearedNeighbour`, `KeyOfPassed` and `ReaderAddition`; the counts in `FlowControl`.
   */

  require(capacity > 0, s"a gate needs room for a tuple of each source, not $capacity")

  private[gate] val trail = new Trail[T](order)
  private[this] val finished = new Array[Frontier[T]](0)
  private[this] val sources = new AtomicReference(new Array[Frontier[T]](0))
  private[this] val created = new AtomicInteger
  private[this] val fingers = new AtomicReferenceArray[Fingers[T]](16)

  /** Adds a source. It may deliver what sorts after [[GateSource.promised]]: anything, until a
    * reader has read. From this call on nothing is ready that sorts after what readers may have
    * read, until the source delivers, advances or closes.
    *
    * @throws java.lang.IllegalStateException
    *   if every source has closed: the readers may have seen the end
    */
  def addSource(name: String): GateSource[T] = {
    val frontier = new Frontier[T](name)
    register(frontier)
    try frontier.set(trail.highestBound) // after the registration: see "Adding a source"
    catch { // the order's: nobody would ever close this source
      case e: Throwable =>
        remove(frontier)
        throw e
    }
    new GateSource[T](this, frontier)
  }

  def addSource(): GateSource[T] = addSource(s"source ${created.getAndIncrement()}")

  /** Adds a reader where the slowest reader stands; where the last one left, if there is none.
    * Waits for a cleaning pass that is under way.
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

  /** The thread's fingers, shared by the sources that it feeds. A lost race or a shared slot
    * costs longer searches, nothing else.
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

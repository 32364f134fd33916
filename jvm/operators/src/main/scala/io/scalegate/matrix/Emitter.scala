package io.scalegate.matrix

import java.util.concurrent.atomic.AtomicBoolean

import io.scalegate.join.ordered.ReadyInput
import io.scalegate.stream.{PaddedCounter, SpscRing, StreamTuple}

/** The promise that whoever passes it on knows, or has passed on, each of its tuples whose ordinal
  * is below `ordinal`: the one-word message of DP-Join §III-D2.
  *
  * @param last
  *   the key of the last tuple below it, or a heartbeat behind that: what is emitted from the ordinal
  *   on sorts after it; null: nothing was emitted yet
  */
final private[matrix] class Mark(val ordinal: Long, val last: StreamTuple)

private[matrix] object Mark {
  val Start = new Mark(0L, null)
}

/** Decides, while a join runs, whether its workers are to be arranged otherwise. The emitter's: one thread at
  * a time.
  */
private[scalegate] trait Rearrangement {

  /** As many workers in another arrangement, from the next tuple on, or None.
    *
    * @param sent
    *   the tuples of a stream so far
    * @param held
    *   the tuples of a stream that are in its window
    */
  def next(now: Topology, sent: Int => Long, held: Int => Long): Option[Topology]
}

private[scalegate] object Rearrangement {
  val Never: Rearrangement = (_, _, _) => None
}

/** The Emitter (DP-Join §III-C): takes ready tuples from the input gate, numbers them in their
  * total order, and sends each stream's to the writers of its segments in turn.
  *
  * @param streamOf
  *   a tuple's stream
  * @param passed
  *   up to which ordinal each worker has processed its tuples, at first all the same
  * @param capacity
  *   tuples that may be under way between the slowest worker and the emitter; a power of two
  * @param rearranged
  *   asked after each few tuples whether these were the last for workers in this arrangement
  */
final private[scalegate] class Emitter(
    input: ReadyInput,
    topology: Topology,
    streamOf: StreamTuple => Int,
    passed: Array[PaddedCounter],
    capacity: Int,
    rearranged: () => Option[Topology]
) {
  def this(
      input: ReadyInput,
      topology: Topology,
      streamOf: StreamTuple => Int,
      passed: Array[PaddedCounter],
      capacity: Int
  ) = this(input, topology, streamOf, passed, capacity, () => None)

  /*
   * The paper's Emitter has a thread of its own. Here it is a role: a worker that has nothing to
   * process takes it, for a few tuples, if no other has it (`emitting`, a test-and-set lock). So a
   * layout has as many threads as workers, and the emitter never starves the workers of a core.
   *
   * Memory order. What the holder of the lock changes is ordered by the lock. A tuple is sent
   * before the mark beyond it is stored (`mark`, volatile), so who has read the mark finds it in
   * its lane. A lane has room for `capacity` tuples, and the receiver has taken what it has passed.
   */
  private[this] val lanes = Vector.tabulate(topology.streams)(a =>
    Vector.fill(topology.segments(a))(new SpscRing[StreamTuple](capacity, true))
  )
  private[this] val turn = new Array[Int](topology.streams)
  private[this] val emitting = new AtomicBoolean
  private[this] val counts = new Array[Long](topology.streams)
  private[this] var ordinal = PaddedCounter.lowest(passed)
  private[this] var following = Option.empty[Topology]
  @volatile private[this] var published = new Mark(ordinal, null)
  @volatile private[this] var end = Long.MaxValue

  /** What was sent to the writer of a segment and the writer has not taken, each tuple with its
    * ordinal. It is never full: no more than `capacity` tuples are under way in all.
    */
  def lane(stream: Int, segment: Int): SpscRing[StreamTuple] = lanes(stream)(segment)

  /** Up to where tuples were sent. */
  def mark: Mark = published

  /** Whether a worker that has passed all ordinals below `passed` has seen the end, that of the input or of
    * this arrangement of the workers.
    */
  def isEnd(passed: Long): Boolean = passed == end

  /** How the workers are arranged after the end; None at the input's. Known to who has seen the end. */
  def next: Option[Topology] = following

  /** Whether every worker has seen the end. Any thread, which then sees what they have done. */
  def isPassed: Boolean = isEnd(PaddedCounter.lowest(passed))

  /** The tuples of a stream that were sent. The emitter's, and of who has seen the end. */
  def sent(stream: Int): Long = counts(stream)

  /** Sends a few tuples, if there are any, there is room and no other thread is at it. */
  def tryEmit(): Boolean =
    end == Long.MaxValue && emitting.compareAndSet(false, true) && {
      try end == Long.MaxValue && emit()
      finally emitting.set(false)
    }

  private[this] def emit(): Boolean = {
    val limit = math.min(PaddedCounter.lowest(passed) + capacity, ordinal + Emitter.Batch)
    var last: StreamTuple = null
    var t = if (ordinal < limit) input.next() else null
    if (t != null && t.isHeartbeat) published = new Mark(ordinal, t)
    else {
      while (t != null) {
        send(t)
        last = t
        t = if (ordinal < limit) input.tuple() else null
      }
      if (last != null) {
        published = new Mark(ordinal, StreamTuple.key(last))
        following = rearranged()
      }
      if (following.isDefined || (last == null && input.isDone)) end = ordinal
    }
    last != null
  }

  private[this] def send(t: StreamTuple): Unit = {
    val stream = streamOf(t)
    val segment = turn(stream)
    if (!lanes(stream)(segment).offer(t, ordinal))
      throw new IllegalStateException(s"more than $capacity tuples are under way")
    turn(stream) = if (segment + 1 == topology.segments(stream)) 0 else segment + 1
    counts(stream) += 1
    ordinal += 1
  }
}

private[scalegate] object Emitter {

  /** Tuples that a worker sends before it looks for work of its own. */
  val Batch = 64

  /** The tuples that may be under way, a power of two, where a source may have `wanted` of its own
    * waiting. Fewer than the least would have workers wait for each other's rounds.
    */
  def capacityFor(wanted: Int): Int =
    Integer.highestOneBit(math.min(math.max(wanted, Least), Most) * 2 - 1)

  private[this] val Least = 16
  private[this] val Most = 1 << 15
}

package io.scalegate.matrix

import java.util.concurrent.atomic.AtomicBoolean

import io.scalegate.stream.PaddedCounter

/** The workers of a matrix join in one topology, from an ordinal on: their segments, inlets and emitter. It ends
  * with the input, or where the emitter says that another follows, of as many workers.
  *
  * @param segments
  *   by stream, with the rows that are in a window when it begins
  */
final private[matrix] class Arrangement private (
    input: MatrixInput,
    rearrangement: Rearrangement,
    val topology: Topology,
    segments: IndexedSeq[IndexedSeq[Segment]],
    start: Arrangement.Start
) {
  /*
   *        tuples of R, by worker of a 1 x 4            of a 2 x 2
   *     ----------------------------------+----------------------------->  ordinals
   *      0 1 2 3 have all of them         | 0 1 have every other, 2 3 the rest
   *                                     end
   *
   * A change. The emitter sends nothing beyond the end of an arrangement. Each worker processes what is before
   * it, and then finds the arrangement that follows, or makes it if all workers have passed the end: the rows
   * that are in a window are dealt to the segments of the new topology, as their tuples would have been. A pair
   * both of whose tuples come before the end was found; one with a later tuple is found by the worker that
   * has the earlier one's row now; so each is found once, and a worker's results stay in order.
   *
   * Progress. As in RunningMatrixJoin: a worker that waits for room in the output gate does not wait for those
   * that have passed the end, which have promised what they have passed. One that finds that another makes
   * what follows idles until that is there. One that fails at it ends the join.
   *
   * Memory order. A worker lets the segments know what it needs (release), and then stores that it has passed
   * the end (release). Who has read that of all workers (acquire) sees all that they have written. What
   * it makes is published by `successor` (volatile).
   */
  private[this] val streams = input.shapes.indices
  private[this] val passed = Array.fill(topology.workers)(new PaddedCounter)
  passed.foreach(_.setPlain(start.ordinal))
  private[this] val emitter =
    new Emitter(input.tuples, topology, input.streamOf, passed, input.capacity, () => rearranged)
  private[this] val inlets = newInlets()

  private[this] val making = new AtomicBoolean
  @volatile private[this] var successor: Arrangement = _

  /** How many arrangements were before this one. */
  def number: Int = start.number

  /** Whether the input has ended with this one. Of who has seen the end. */
  def isLast: Boolean = emitter.next.isEmpty

  /** The arrangement that follows, for a worker that has seen the end; null while there is none yet. */
  def next(): Arrangement = {
    if (successor == null && emitter.isPassed && making.compareAndSet(false, true)) {
      val to = emitter.next.get
      val dealt = Arrangement.segments(input, to)
      for (a <- streams) Segment.deal(segments(a), dealt(a))
      val here = Arrangement.Start(number + 1, passed(0).get, streams.map(sentOf))
      successor = new Arrangement(input, rearrangement, to, dealt, here)
    }
    successor
  }

  /** What one worker does. On its own thread. */
  def worker(id: Int, newSteps: IndexedSeq[Share] => WorkerSteps): MatrixWorker = {
    val shares = streams.map(share(id, _))
    val views = shares.map(_.view).toArray
    new MatrixWorker(emitter, inlets(id), views, newSteps(shares), passed(id))
  }

  private[this] def sentOf(stream: Int): Long = start.sent(stream) + emitter.sent(stream)

  private[this] def rearranged: Option[Topology] =
    rearrangement.next(topology, sentOf, a => segments(a).iterator.map(_.held).sum)

  private[this] def segmentOf(worker: Int, stream: Int): Segment =
    segments(stream)(topology.coordinate(worker, stream))

  /** By worker and stream; who is upstream of a worker has a lower number. */
  private[this] def newInlets(): Array[Array[Inlet]] = {
    val inlets = Array.ofDim[Inlet](topology.workers, topology.streams)
    for (worker <- inlets.indices; a <- streams)
      inlets(worker)(a) = topology.upstream(worker, a) match {
        case Some(upstream) => new ReaderInlet(inlets(upstream)(a))
        case None =>
          val lane = emitter.lane(a, topology.coordinate(worker, a))
          val numberOf = numbers(worker, a)
          new WriterInlet(
            emitter,
            lane,
            segmentOf(worker, a),
            (t, position) => input.shapes(a).windowValue(t, numberOf(position))
          )
      }
    inlets
  }

  private[this] def numbers(worker: Int, stream: Int): Long => Long = {
    val segments = topology.segments(stream).toLong
    val begin = segmentOf(worker, stream).begin
    val first = start.sent(stream) + topology.coordinate(worker, stream)
    position => (position - begin) * segments + first
  }

  private[this] def share(worker: Int, stream: Int): Share = {
    val segment = topology.coordinate(worker, stream)
    val sharer = (0 until worker).count(topology.coordinate(_, stream) == segment)
    new Share(
      topology.upstream(worker, stream).isEmpty,
      new SegmentView(segmentOf(worker, stream), sharer),
      numbers(worker, stream)
    )
  }
}

private[matrix] object Arrangement {

  /** The first, before any tuple. */
  def first(
      input: MatrixInput,
      rearrangement: Rearrangement,
      topology: Topology
  ): Arrangement = {
    val start = Start(0, 0L, input.shapes.map(_ => 0L))
    new Arrangement(input, rearrangement, topology, segments(input, topology), start)
  }

  /** Empty ones. */
  private def segments(
      input: MatrixInput,
      topology: Topology
  ): IndexedSeq[IndexedSeq[Segment]] =
    input.shapes.zipWithIndex.map { case (shape, a) =>
      val sharers = topology.workers / topology.segments(a)
      Vector.fill(topology.segments(a))(new Segment(shape.attributes, sharers))
    }

  /** Where one begins.
    *
    * @param number
    *   how many were before
    * @param ordinal
    *   of its first tuple
    * @param sent
    *   by stream, the tuples before that
    */
  final private case class Start(number: Int, ordinal: Long, sent: IndexedSeq[Long])
}

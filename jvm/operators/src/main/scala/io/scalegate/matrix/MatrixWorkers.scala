package io.scalegate.matrix

import io.scalegate.band.AttributeType
import io.scalegate.gate.GateReader
import io.scalegate.join.ordered.{MergedResults, ReadyInput}
import io.scalegate.join.{JoinMetrics, JoinOptions, WorkerMetrics}
import io.scalegate.stream.{PaddedCounter, StreamTuple, Work, Workers}

/** One stream of a join as its workers see it.
  *
  * @param attributes
  *   the types of its tuples' attributes
  * @param windowValue
  *   a tuple's window value, given its number in the stream
  */
final private[matrix] case class StreamShape(
    attributes: IndexedSeq[AttributeType],
    windowValue: (StreamTuple, Long) => Long
)

/** A worker's part in one stream.
  *
  * @param writes
  *   whether it is the one that writes the segment
  * @param view
  *   the segment as this worker sees it
  * @param numberOf
  *   the number in the stream of the tuple at a position of the segment
  */
final private[scalegate] class Share(
    val writes: Boolean,
    val view: SegmentView,
    val numberOf: Long => Long
)

/** The threads of a matrix join, from the input gate's reader to the results.
  *
  * @param newSteps
  *   makes what one worker does, given its share of each stream and what takes its results; runs
  *   on that worker's thread
  */
final private[matrix] class MatrixWorkers[T <: AnyRef](
    reader: GateReader[StreamTuple],
    topology: Topology,
    shapes: IndexedSeq[StreamShape],
    streamOf: StreamTuple => Int,
    options: JoinOptions,
    results: MergedResults[T],
    threads: Workers,
    newSteps: (IndexedSeq[Share], T => Unit) => WorkerSteps
) {
  private[this] val passed = Array.fill(topology.workers)(new PaddedCounter)
  private[this] val emitter = new Emitter(
    new ReadyInput(reader),
    topology,
    streamOf,
    passed,
    Emitter.capacityFor(options.inputCapacity)
  )
  private[this] val segments = shapes.indices.map { a =>
    val sharers = topology.workers / topology.segments(a)
    Vector.fill(topology.segments(a))(new Segment(shapes(a).attributes, sharers))
  }
  private[this] val inlets = newInlets()

  val work: IndexedSeq[WorkerThread] = Vector.tabulate(topology.workers)(new WorkerThread(_))

  def metrics: JoinMetrics = JoinMetrics(work.map(_.metrics))

  private[this] def segmentOf(worker: Int, stream: Int): Segment =
    segments(stream)(topology.coordinate(worker, stream))

  /** By worker and stream; who is upstream of a worker has a lower number. */
  private[this] def newInlets(): Array[Array[Inlet]] = {
    val inlets = Array.ofDim[Inlet](topology.workers, topology.streams)
    for (worker <- inlets.indices; a <- shapes.indices)
      inlets(worker)(a) = topology.upstream(worker, a) match {
        case Some(upstream) => new ReaderInlet(inlets(upstream)(a))
        case None =>
          val lane = emitter.lane(a, topology.coordinate(worker, a))
          val numberOf = numbers(worker, a)
          new WriterInlet(
            emitter,
            lane,
            segmentOf(worker, a),
            (t, position) => shapes(a).windowValue(t, numberOf(position))
          )
      }
    inlets
  }

  private[this] def numbers(worker: Int, stream: Int): Long => Long = {
    val segments = topology.segments(stream).toLong
    val first = topology.coordinate(worker, stream).toLong
    position => position * segments + first
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

  final class WorkerThread private[MatrixWorkers] (id: Int)
      extends Work(s"scalegate-join-$id") {
    private[this] val outlet = results.outlet(id)
    private[this] val room = threads.waiting()
    private[this] var worker: MatrixWorker = _
    @volatile private[this] var published = WorkerMetrics.Zero

    def metrics: WorkerMetrics = published

    override def prepare(): Unit = {
      val shares = shapes.indices.map(share(id, _))
      val steps = newSteps(shares, outlet.emit(_, room))
      val views = shares.map(_.view).toArray
      worker = new MatrixWorker(emitter, inlets(id), views, steps, passed(id))
    }

    def isFinished: Boolean = worker.isDone

    override def end(): Unit = {
      if (worker != null) published = worker.metrics
      outlet.close()
    }

    def step(): Boolean = {
      val before = worker.lastPassed
      val hasWorked = worker.round()
      if (worker.lastPassed ne before) {
        outlet.promise(worker.lastPassed)
        published = worker.metrics
      }
      hasWorked
    }
  }
}

package io.scalegate.matrix

import io.scalegate.join.ordered.MergedResults
import io.scalegate.join.{JoinMetrics, WorkerMetrics}
import io.scalegate.stream.{Work, Workers}

/** A worker's part in one stream.
  *
  * @param writes
  *   whether it is the one that writes the segment
  * @param view
  *   the segment as this worker sees it
  * @param numberOf
  *   the number in the stream of the tuple at a position of the segment, from its beginning on
  */
final private[scalegate] class Share(
    val writes: Boolean,
    val view: SegmentView,
    val numberOf: Long => Long
)

/** The threads of a matrix join, from the input gate's reader to the results.
  *
  * @param newSteps
  *   makes what one worker does in one arrangement, given its share of each stream and what takes its results;
  *   runs on that worker's thread
  */
final private[matrix] class MatrixWorkers[T <: AnyRef](
    first: Arrangement,
    results: MergedResults[T],
    threads: Workers,
    newSteps: (IndexedSeq[Share], T => Unit) => WorkerSteps
) {
  @volatile private[this] var reached = first

  val work: IndexedSeq[WorkerThread] =
    Vector.tabulate(first.topology.workers)(new WorkerThread(_))

  /** The last arrangement that worker 0 has come to. Any thread. */
  def arrangement: Arrangement = reached

  def metrics: JoinMetrics = JoinMetrics(work.map(_.metrics))

  final class WorkerThread private[MatrixWorkers] (id: Int)
      extends Work(s"scalegate-join-$id") {
    private[this] val outlet = results.outlet(id)
    private[this] val room = threads.waiting()
    private[this] var current = reached
    private[this] var worker: MatrixWorker = _
    private[this] var earlier = WorkerMetrics.Zero
    @volatile private[this] var published = WorkerMetrics.Zero

    def metrics: WorkerMetrics = published

    override def prepare(): Unit = worker = newWorker()

    def isFinished: Boolean = worker.isDone && current.isLast

    override def end(): Unit = {
      if (worker != null) published = earlier.and(worker.metrics)
      outlet.close()
    }

    def step(): Boolean = {
      val before = worker.lastPassed
      val hasWorked = worker.round()
      if (worker.lastPassed ne before) {
        outlet.promise(worker.lastPassed)
        published = earlier.and(worker.metrics)
      }
      hasWorked || worker.isDone && !current.isLast && moveOn()
    }

    /** Goes on in the next arrangement, if it is there. */
    private[this] def moveOn(): Boolean = {
      val next = current.next()
      if (next != null) {
        earlier = earlier.and(worker.metrics)
        current = next
        worker = newWorker()
        if (id == 0) reached = next
      }
      next != null
    }

    private[this] def newWorker(): MatrixWorker =
      current.worker(id, newSteps(_, outlet.emit(_, room)))
  }
}

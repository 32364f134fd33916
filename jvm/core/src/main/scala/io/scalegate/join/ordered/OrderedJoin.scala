package io.scalegate.join.ordered

import io.scalegate.join.{JoinMetrics, JoinOptions, JoinResult, JoinSpec, WorkerMetrics}
import io.scalegate.stream.{Side, StreamTuple, Work}

/** Threads between an input gate and an output gate (`SG_in` and `SG_out` of ScaleJoin's Algorithm
  * 1), each of which finds its results in order. What a thread does with a ready tuple is the
  * subclass's.
  *
  * @param promiseEvery
  *   tuples that a busy thread passes before it tells the output
  */
abstract private[scalegate] class OrderedJoin(
    spec: JoinSpec,
    sides: IndexedSeq[Side],
    options: JoinOptions,
    threads: Int,
    promiseEvery: Int = OrderedJoin.PromiseEvery
) extends GatedJoin(spec, sides, options) {
  /*
   * A thread that finds no match would hold back the others' results, so it promises at the output
   * that nothing is to come for what it has passed: every few tuples, and whenever it has nothing
   * to do. What it passes are tuples and heartbeats, so that what the sources promise is promised at
   * the output. For the same reason the join does not lock up: of the threads that wait for room in the
   * output, the one with the lowest result has it ready as soon as the others run out of work.
   *
   * Memory order: results and promises are published by the output gate; a thread's metrics before
   * the promise of what they count, and, as its failure, before its lane is closed.
   */
  private[this] val output =
    new MergedResults(ResultOrder, options.outputCapacity, ResultOrder.punctuation, threads)

  protected def workers: Vector[Worker]

  final override protected def ownWork: Iterable[Work] = workers

  final protected def take(): JoinResult = output.poll()

  final protected def isExhausted: Boolean = output.isDone

  final protected def reached: Long = output.frontier

  def metrics: JoinMetrics = JoinMetrics(workers.map(_.metrics))

  /** @param isNew
    *   whether it was not there from the beginning
    */
  abstract protected class Worker(share: Int, isNew: Boolean = false)
      extends Work(s"scalegate-join-$share")
      with ResultSink {
    private[this] val lane = if (isNew) output.addOutlet() else output.outlet(share)
    private[this] val room = ownThreads.waiting()
    private[this] var passed: StreamTuple = _
    private[this] var unpromised = 0
    private[this] var prepared = false
    @volatile private[this] var published = WorkerMetrics.Zero

    def metrics: WorkerMetrics = published

    /** Makes what the steps need. */
    protected def makeSteps(): Unit

    /** Does what there is to do, and says whether there was anything. */
    protected def work(): Boolean

    /** Once the steps were made. */
    protected def measured: WorkerMetrics

    final override def prepare(): Unit = {
      makeSteps()
      prepared = true
    }

    final def step(): Boolean = work() || {
      promise()
      false
    }

    final override def end(): Unit = {
      if (prepared) published = measured
      lane.close()
    }

    def emit(later: StreamTuple, earlier: StreamTuple): Unit =
      lane.emit(new JoinResult(later, earlier), room)

    /** No result of `t`, or of a tuple before it, comes from this thread any more, be it a tuple or a
      * heartbeat; null where not even one can be named yet.
      */
    final protected def pass(t: StreamTuple): Unit = {
      passed = t
      unpromised += 1
      if (unpromised >= promiseEvery) promise()
    }

    /** Tells the output of what was passed, once it counts in the metrics. */
    final protected def promise(): Unit = if (unpromised > 0) {
      published = measured
      if (passed != null) lane.promise(passed)
      unpromised = 0
    }
  }
}

private[scalegate] object OrderedJoin {
  val PromiseEvery = 32
}

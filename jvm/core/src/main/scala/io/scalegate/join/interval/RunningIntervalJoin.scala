package io.scalegate.join.interval

import io.scalegate.gate.{GateSource, ScaleGate}
import io.scalegate.join.{
  GatedJoin,
  JoinMetrics,
  JoinOptions,
  JoinResult,
  JoinSpec,
  ResultOrder,
  ResultSink,
  Stopped,
  WorkerMetrics
}
import io.scalegate.stream.{Side, StreamTuple}

/** An [[IntervalJoin]] under way. The consumer's thread polls; everything else by any thread, as
  * in every [[io.scalegate.join.RunningJoin]].
  */
final class RunningIntervalJoin private[interval] (
    spec: JoinSpec,
    sides: IndexedSeq[Side],
    options: JoinOptions,
    replicas: Int,
    pattern: IntervalPattern,
    batch: Int,
    intake: IntervalSteps => Intake
) extends GatedJoin(spec, sides, options) {
  /*
   *    sources            gate             replicas: keys, buffers        gate            consumer
   *                                     +-> 0: a, half of b ---------+
   *    R --tryAdd--+                    |                            |
   *    R --tryAdd--+--> sorted, ready --+-> 1: half of b, c, d ------+--> sorted, ready --> poll
   *    S --tryAdd--+                    |                            |
   *                                     +-> ...                    --+
   *
   * The paper's emitters and collectors are two gates. An emitter sends a tuple to the replicas
   * of its key, and a collector in each replica brings a key's tuples into an order that is the
   * same in all replicas, without which pairs are lost or doubled (§4.2, §4.3). Here each
   * replica reads every tuple, by reference, in the one order of the gate, and passes over those
   * whose keys do not concern it. What the paper saves by sending less is reading a reference
   * and hashing a key; what it pays is a queue for each key and source in each replica.
   *
   * Nothing is said between replicas, not even when keys are assigned anew (see KeyPlacement).
   *
   * Promises to the output gate are ScaleJoin's, and so is the argument why the join does not
   * lock up: all replicas take all elements, so before one can wait for input it has promised at
   * least the element that a replica stands on which waits for room. With a reorder buffer the
   * same holds of the tuples that leave it: what leaves depends on the elements taken alone.
   *
   * Progress and memory order: see ScaleJoin. `promised` is stored after the promise to the
   * output gate, so a consumer that reads it, then finds nothing ready, has taken every result
   * before it.
   */
  private[this] val results = new ScaleGate[JoinResult](ResultOrder, options.outputCapacity)
  private[this] val workers = Vector.tabulate(replicas)(new Worker(_, results.addSource()))
  private[this] val output = results.addReader()
  private[this] var reached = Long.MinValue

  private[interval] def start(): Unit = workers.foreach(_.start())

  def poll(): JoinResult = {
    var result = output.getNextReadyTuple()
    if (result == null) {
      val promised = leastPromise
      result = output.getNextReadyTuple()
      if (result == null) reached = math.max(reached, promised)
    }
    if (result != null) reached = math.max(reached, result.ts)
    throwIfFailed()
    result
  }

  def isDone: Boolean = output.isDone && !hasFailed

  /** No result still to come has a later tuple with a time below it; `Long.MaxValue` once all are
    * out. Rises when [[poll]] finds something, or nothing. The consumer's thread only.
    */
  def frontier: Long = if (isDone) Long.MaxValue else reached

  def metrics: JoinMetrics = JoinMetrics(workers.map(_.metrics))

  /** How keys are split, as the first replica last told. Any thread. */
  def splitting: KeySplitting = workers.head.splitting

  override def close(): Unit = {
    super.close()
    awaitEnd(workers)
  }

  private[this] def leastPromise: Long = {
    var least = Long.MaxValue
    var i = 0
    while (i < workers.length) {
      least = math.min(least, workers(i).promised)
      i += 1
    }
    least
  }

  final private[this] class Worker(replica: Int, out: GateSource[JoinResult])
      extends Thread(s"scalegate-join-$replica")
      with ResultSink {
    private[this] val input = gate.addReader()
    private[this] val idle = options.idle()
    private[this] var steps: IntervalSteps = _
    private[this] var elements: Intake = _
    private[this] var unpromised = 0
    @volatile private[this] var published = WorkerMetrics.Zero
    @volatile private[this] var split = KeySplitting(0, 1, 1)
    @volatile private[this] var promisedTs = Long.MinValue

    setDaemon(true)

    def metrics: WorkerMetrics = published

    def splitting: KeySplitting = split

    /** No result of this replica before it is still to come into the output gate. */
    def promised: Long = promisedTs

    override def run(): Unit =
      try {
        val placement = KeyPlacement(pattern, replica, replicas, new KeyLoad(spec.window))
        steps = new IntervalSteps(spec, replica, placement, options.maxWindowRows, this)
        elements = intake(steps)
        while (!input.isDone && !isStopped) next()
        if (!isStopped) elements.end()
      } catch {
        case _: Stopped => ()
        case e: Throwable => fail(e)
      } finally {
        if (steps != null) publish()
        out.close()
      }

    def emit(later: StreamTuple, earlier: StreamTuple): Unit = {
      val result = new JoinResult(later, earlier)
      if (!out.tryAdd(result)) {
        while (!out.tryAdd(result)) {
          if (isStopped) throw new Stopped
          idle.idle()
        }
        idle.reset()
      }
    }

    private[this] def next(): Unit = {
      val element = input.getNextReadyTuple()
      if (element == null) {
        if (unpromised > 0) promise()
        idle.idle()
      } else {
        idle.reset()
        elements.take(element)
        unpromised += 1
        if (unpromised >= batch) promise()
      }
    }

    private[this] def promise(): Unit = {
      val passed = elements.passed
      if (passed != null) {
        out.advance(ResultOrder.punctuation(passed))
        promisedTs = passed.ts
      }
      unpromised = 0
      publish()
    }

    private[this] def publish(): Unit = {
      published = steps.metrics
      split = steps.splitting
    }
  }
}

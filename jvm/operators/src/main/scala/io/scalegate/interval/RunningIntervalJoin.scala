package io.scalegate.interval

import io.scalegate.join.ordered.{OrderedJoin, ReadyInput}
import io.scalegate.join.{JoinOptions, JoinSpec, WorkerMetrics}
import io.scalegate.stream.Side

/** An [[IntervalJoin]] under way. The consumer's thread polls; everything else by any thread, as
  * in every `io.scalegate.join.RunningJoin`.
  */
final class RunningIntervalJoin private[interval] (
    spec: JoinSpec,
    sides: IndexedSeq[Side],
    options: JoinOptions,
    replicas: Int,
    pattern: IntervalPattern,
    batch: Int,
    intake: IntervalSteps => Intake
) extends OrderedJoin(spec, sides, options, replicas, promiseEvery = batch)
    with RunningPattern {
  /*
   *    sources            gate             replicas: keys, buffers        gate            consumer
   *                                     +-> 0: a, half of b ---------+
   *    R --tryAdd--+                    |                            |
   *    R --tryAdd--+--> sorted, ready --+-> 1: half of b, c, d ------+--> sorted, ready --> poll
   *    S --tryAdd--+                    |                            |
   *                                     +-> ...                    --+
   *
   * The paper's emitters and collectors, which `sharednothing` has, are two gates here. An emitter sends a tuple to the replicas
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
   * same holds of the tuples that leave it: what leaves depends on the elements and heartbeats
   * taken alone, and before a replica waits for input it has taken a heartbeat of the time that
   * the sources have promised.
   *
   * Progress and memory order: see ScaleJoin.
   */
  protected val workers: Vector[Replica] = Vector.tabulate(replicas)(new Replica(_))

  /** How keys are split, as the first replica last told. Any thread. */
  def splitting: KeySplitting = workers.head.splitting

  final protected class Replica(replica: Int) extends Worker(replica) {
    private[this] val input = new ReadyInput(gate.addReader())
    private[this] var steps: IntervalSteps = _
    private[this] var elements: Intake = _
    @volatile private[this] var split = KeySplitting(0, 1, 1)

    def splitting: KeySplitting = split

    protected def makeSteps(): Unit = {
      val placement = KeyPlacement(pattern, replica, replicas, spec.window)
      steps = new IntervalSteps(spec, replica, placement, options.maxWindowRows, this)
      elements = intake(steps)
    }

    protected def work(): Boolean = {
      val element = input.next()
      if (element != null) {
        elements.take(element)
        pass(elements.passed)
      }
      element != null
    }

    def isFinished: Boolean = input.isDone

    override def finish(): Unit = elements.end()

    protected def measured: WorkerMetrics = {
      split = steps.splitting
      steps.metrics
    }
  }
}

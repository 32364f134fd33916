package io.scalegate.baseline.handshake

import io.scalegate.join.ordered.{GatedJoin, PairCondition, ReadyInput, ResultSink}
import io.scalegate.join.{JoinMetrics, JoinOptions, JoinResult, JoinSpec, WorkerMetrics}
import io.scalegate.stream.{Side, SpscRing, StreamTuple, Work}

/** The chain of nodes that both handshake joins work on: R flows through it from left to right, S
  * from right to left, and a driver feeds both ends. What a node does is the subclass's.
  */
abstract private[baseline] class FlowJoin(
    spec: JoinSpec,
    sides: IndexedSeq[Side],
    options: JoinOptions,
    protected val nodeCount: Int,
    linkCapacity: Int
) extends GatedJoin(spec, sides, options) {
  /*
   *                 R -->   +--------+  -->  +--------+  -->  +--------+
   *   gate --> driver       | node 0 |       | node 1 |       | node 2 |
   *                         +--------+  <--  +--------+  <--  +--------+   <-- S   (same driver)
   *                             |                |                |
   *                          results          results          results  --> consumer
   *
   * Every arrow is a ring from one thread to one (SpscRing), and the only thing that two threads
   * share. The driver takes the ready tuples in their order and writes on each its number and its
   * reach in the other stream (FlowTuple), so a pair is in the window or not wherever and whenever
   * it meets, and the rows are exact. What the windows let go of is told in the same flows: with
   * each tuple, and with a mark in a flow that has had none for a few.
   *
   * Memory order: see SpscRing. A node's metrics are published before its results are closed, and a
   * failure is recorded before that (see GatedJoin).
   */
  import FlowJoin._

  /** `rightward(k)` enters node k from the left, `leftward(k)` from the right. */
  protected val rightward: Vector[SpscRing[FlowMessage]] = links()
  protected val leftward: Vector[SpscRing[FlowMessage]] = links()
  protected val results: Vector[SpscRing[JoinResult]] =
    Vector.fill(nodeCount)(new SpscRing[JoinResult](options.outputCapacity))
  private[this] val driver =
    new FlowDriver(
      spec,
      new ReadyInput(gate.addReader()),
      rightward.head,
      leftward.last
    )
  protected def nodes: Vector[Node]

  /** What takes steps, each on a thread of its own once the join was started. */
  private[baseline] def parts: Vector[Work] = nodes :+ driver

  final override protected def ownWork: Iterable[Work] = parts

  def metrics: JoinMetrics = JoinMetrics(nodes.map(_.metrics))

  private[this] def links() =
    Vector.fill(nodeCount)(new SpscRing[FlowMessage](linkCapacity))

  /** A node of the chain: takes what comes from both sides, and passes on what it can. */
  abstract protected class Node(k: Int) extends Work(s"scalegate-join-$k") with ResultSink {
    protected val isFirst: Boolean = k == 0
    protected val isLast: Boolean = k == nodeCount - 1
    protected val fromLeft: SpscRing[FlowMessage] = rightward(k)
    protected val fromRight: SpscRing[FlowMessage] = leftward(k)
    protected val toRight: SpscRing[FlowMessage] = if (isLast) null else rightward(k + 1)
    protected val toLeft: SpscRing[FlowMessage] = if (isFirst) null else leftward(k - 1)
    private[this] val room = ownThreads.waiting()
    private[this] var steps = 0
    protected var ofR: FlowSegment = _
    protected var ofS: FlowSegment = _
    protected var stored = 0L
    protected var peakOfR = 0 // rows in the window: those that wait for word of its end are not
    protected var peakOfS = 0
    @volatile private[this] var published = WorkerMetrics.Zero

    def metrics: WorkerMetrics = published

    protected def flow(): Boolean

    protected def prepare(condition: PairCondition): Unit = {
      ofR = new FlowSegment(spec, condition, this, options.maxWindowRows)
      ofS = new FlowSegment(spec, condition, this, options.maxWindowRows)
    }

    protected def measured: WorkerMetrics = WorkerMetrics(
      ofR.comparisons + ofS.comparisons,
      ofR.matches + ofS.matches,
      stored,
      peakOfR.toLong + peakOfS
    )

    final override def prepare(): Unit = prepare(new PairCondition(spec))

    def step(): Boolean = {
      steps += 1
      if (steps % PublishEvery == 0) published = measured
      flow()
    }

    override def end(): Unit = {
      if (ofS != null) published = measured
      results(k).close()
    }

    def emit(later: StreamTuple, earlier: StreamTuple): Unit = {
      val result = new JoinResult(later, earlier)
      if (!results(k).offer(result)) room.until(results(k).offer(result))
    }
  }
}

private object FlowJoin {

  /** Messages that may wait on each link of the chain. */
  val LinkCapacity = 64

  /** Rounds after which a node's metrics can be seen. */
  val PublishEvery = 64
}

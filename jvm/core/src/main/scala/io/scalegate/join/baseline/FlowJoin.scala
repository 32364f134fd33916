package io.scalegate.join.baseline

import io.scalegate.join.{
  GatedJoin,
  JoinMetrics,
  JoinOptions,
  JoinResult,
  JoinSpec,
  PairCondition,
  ResultSink,
  Stopped,
  WorkerMetrics
}
import io.scalegate.stream.{Side, StreamTuple}

/** The chain of nodes that both handshake joins work on: R flows through it from left to right, S
  * from right to left, and a driver feeds both ends. What a node does is the subclass's.
  */
abstract private[baseline] class FlowJoin(
    spec: JoinSpec,
    sides: IndexedSeq[Side],
    options: JoinOptions,
    protected val nodeCount: Int
) extends GatedJoin(spec, sides, options)
    with RunningBaseline {
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
  private[this] val driver = new Driver

  protected def nodes: Vector[Node]

  def start(): Unit = {
    nodes.foreach(_.start())
    driver.start()
  }

  def metrics: JoinMetrics = JoinMetrics(nodes.map(_.metrics))

  override def close(): Unit = {
    super.close()
    awaitEnd(nodes :+ driver)
  }

  private[this] def links() =
    Vector.fill(nodeCount)(new SpscRing[FlowMessage](LinkCapacity))

  abstract protected class Node(k: Int) extends Thread(s"scalegate-join-$k") with ResultSink {
    protected val isFirst: Boolean = k == 0
    protected val isLast: Boolean = k == nodeCount - 1
    protected val fromLeft: SpscRing[FlowMessage] = rightward(k)
    protected val fromRight: SpscRing[FlowMessage] = leftward(k)
    protected val toRight: SpscRing[FlowMessage] = if (isLast) null else rightward(k + 1)
    protected val toLeft: SpscRing[FlowMessage] = if (isFirst) null else leftward(k - 1)
    private[this] val idle = options.idle()
    private[this] var rounds = 0
    protected var ofR: FlowSegment = _
    protected var ofS: FlowSegment = _
    protected var stored = 0L
    protected var peakOfR = 0 // rows in the window: those that wait for word of its end are not
    protected var peakOfS = 0
    @volatile private[this] var published = WorkerMetrics.Zero

    setDaemon(true)

    def metrics: WorkerMetrics = published

    /** Takes and passes on what it can, and says whether there was anything. */
    protected def step(): Boolean

    /** Whether both streams have ended and passed. */
    protected def isFinished: Boolean

    /** Makes what only this thread may use. */
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

    override def run(): Unit =
      try {
        prepare(new PairCondition(spec))
        while (!isFinished && !isStopped) round()
        published = measured
      } catch {
        case _: Stopped => ()
        case e: Throwable => fail(e)
      } finally results(k).close()

    private[this] def round(): Unit = {
      if (step()) idle.reset() else idle.idle()
      rounds += 1
      if (rounds % PublishEvery == 0) published = measured
    }

    def emit(later: StreamTuple, earlier: StreamTuple): Unit = {
      val result = new JoinResult(later, earlier)
      if (!results(k).offer(result)) {
        while (!results(k).offer(result)) {
          if (isStopped) throw new Stopped
          idle.idle()
        }
        idle.reset()
      }
    }
  }

  /** Feeds both ends of the chain. */
  final private[this] class Driver extends Thread("scalegate-join-driver") {
    private[this] val input = gate.addReader()
    private[this] val idle = options.idle()
    private[this] val r = new NumberedWindow(Side.R, spec.window, Vector.empty, Int.MaxValue)
    private[this] val s = new NumberedWindow(Side.S, spec.window, Vector.empty, Int.MaxValue)
    private[this] val ofR = new Flow(r, rightward.head)
    private[this] val ofS = new Flow(s, leftward.last)
    private[this] var last: StreamTuple = _

    setDaemon(true)

    override def run(): Unit =
      try {
        while (!input.isDone && !isStopped) next()
        for (flow <- Seq(ofR, ofS))
          put(new FlowMark(last, Long.MaxValue, Long.MaxValue, Long.MaxValue, true), flow)
      } catch {
        case _: Stopped => ()
        case e: Throwable => fail(e)
      }

    private[this] def next(): Unit = {
      val t = input.getNextReadyTuple()
      if (t == null) {
        mark(ofR, 1)
        mark(ofS, 1)
        idle.idle()
      } else {
        idle.reset()
        if (t.side eq Side.R) deliver(t, ofR, ofS) else deliver(t, ofS, ofR)
      }
    }

    private[this] def deliver(t: StreamTuple, own: Flow, opposite: Flow): Unit = {
      val until = opposite.window.reach(t)
      val first = opposite.window.first
      val number = own.window.seen
      own.window.take(t)
      r.drop()
      s.drop()
      last = t
      put(new FlowTuple(t, number, first, until, r.first, s.first, own.oldest(t)), own)
      opposite.since += 1
      mark(opposite, MarkEvery)
    }

    /** Tells a flow of the windows if it has not been told for so many tuples. */
    private[this] def mark(flow: Flow, after: Int): Unit =
      if (flow.since >= after)
        put(new FlowMark(last, r.first, s.first, flow.oldest(last), false), flow)

    private[this] def put(message: FlowMessage, flow: Flow): Unit = {
      while (!flow.entry.offer(message)) {
        if (isStopped) throw new Stopped
        idle.idle()
      }
      flow.since = 0
    }
  }
}

private object FlowJoin {

  /** Messages that may wait on each link of the chain. */
  val LinkCapacity = 64

  /** Tuples of one stream after which the other's flow is told of the windows. */
  val MarkEvery = 8

  /** Rounds after which a node's metrics can be seen. */
  val PublishEvery = 64
}

/** The driver's end of a stream's flow. */
final private class Flow(val window: NumberedWindow, val entry: SpscRing[FlowMessage]) {

  /** Tuples of the other stream since the flow's last message. */
  var since = 0

  /** The time of the oldest tuple in the window; of `now` if there is none. */
  def oldest(now: StreamTuple): Long =
    if (window.columns.isEmpty) now.ts else window.row(window.dropped).ts
}

package io.scalegate.interval.sharednothing

import io.scalegate.gate.OutOfOrderException
import io.scalegate.interval.{IntervalPattern, KeySplitting, RunningPattern}
import io.scalegate.join.ordered.{GatedJoin, GatedSource}
import io.scalegate.join.{JoinMetrics, JoinOptions, JoinResult, JoinSource, JoinSpec}
import io.scalegate.stream.{
  EventOrder,
  Lifecycle,
  RunningOperator,
  Side,
  SpscRing,
  StreamTuple,
  WaitingSource,
  Work
}

/** A [[SharedNothingJoin]] under way.
  *
  * @param tupleOf
  *   the tuple in what a source delivers, whose own time is the source's watermark
  */
final private[interval] class RunningSharedNothingJoin(
    spec: JoinSpec,
    sides: IndexedSeq[Side],
    options: JoinOptions,
    replicas: Int,
    pattern: IntervalPattern,
    batch: Int,
    inOrder: Boolean,
    tupleOf: StreamTuple => StreamTuple
) extends RunningOperator[JoinResult](new Lifecycle("join"), options.idle)
    with RunningPattern {
  /*
   *    source R0 -> emitter 0 --+--> collector -> replica 0 --+
   *                             X                             +--> poll
   *    source S0 -> emitter 1 --+--> collector -> replica 1 --+
   *
   *    KP   to the key's replica      in the order of their coming
   *    DP   to all                    a batch of each emitter in turn
   *    HP   to the key's replicas     a batch of each emitter in turn, by key
   *
   * Every arrow is a ring from one thread to one (SpscRing), and the only thing that two threads
   * share; what goes through it is not changed any more. An emitter and its source are one thread, a
   * collector and its replica another. Tuples are sent by reference, as the paper does within a
   * process.
   *
   * It does not lock up. A replica waits for nothing but room for its results, which the consumer
   * makes; an emitter waits for nothing (see Emitter). A collector takes every message that comes,
   * so a channel has room again whatever the order is: what is before its turn waits in the
   * replica, up to `maxWindowRows`.
   *
   * Memory order: see SpscRing and Emitter. A replica's metrics are published before the punctuation
   * that tells of them, and before its results are closed; a failure before that (see Lifecycle).
   */
  GatedJoin.requirePairs(spec, sides)

  /** No batch holds more than a source may have waiting. */
  private[this] val batchSize = math.min(batch, options.inputCapacity)
  private[this] val channels = Vector.fill(sides.length, replicas)(
    new SpscRing[Message](options.inputCapacity / batchSize)
  )
  private[this] val feedback = Vector.fill(sides.length)(new SpscRing[SplitPlan](1))
  private[this] val emitters = sides.indices.map(i =>
    new Emitter(i, distribution(i), channels(i), batchSize)
  )
  private[this] val found =
    Vector.fill(replicas)(new SpscRing[JoinResult](options.outputCapacity))
  private[this] val gathering = new Gathering(found, inOrder)
  private[this] val calibration = pattern match {
    case of: IntervalPattern.Calibrated => new Calibration(of, replicas, sides.length)
    case _ => null
  }
  private[this] val workers = Vector.tabulate(replicas)(j =>
    new Replica(
      j,
      spec,
      options.maxWindowRows,
      channels.map(_(j)),
      collector(j),
      found(j),
      ownThreads.waiting(),
      plan,
      () => emitters.exists(_.help())
    )
  )
  @volatile private[this] var split = {
    val degree = if (pattern == IntervalPattern.DataPartitioned) replicas else 1
    KeySplitting(0, degree.toDouble, degree)
  }

  val sources: IndexedSeq[JoinSource] = sides.zipWithIndex.map { case (side, i) =>
    new Source(side, i)
  }

  override protected def ownWork: Iterable[Work] = workers

  protected def take(): JoinResult = gathering.poll()

  protected def isExhausted: Boolean = gathering.isDone

  protected def reached: Long = gathering.frontier

  def metrics: JoinMetrics = JoinMetrics(workers.map(_.metrics))

  def splitting: KeySplitting = split

  /** The master's: from the emitters' frequencies to the plan that they go by. */
  private[this] def plan(told: Frequencies): Unit = {
    val plan = calibration.add(told.counts)
    if (plan != null) {
      split = plan.splitting
      feedback.foreach(_.offer(plan))
    }
  }

  private[this] def distribution(stream: Int): Distribution = pattern match {
    case IntervalPattern.KeyPartitioned => new PointToPoint(replicas)
    case IntervalPattern.DataPartitioned => new Broadcast(replicas)
    case of: IntervalPattern.Calibrated =>
      val each = (of.calibration + sides.length - 1) / sides.length
      new Multicast(replicas, each, feedback(stream))
    case other => throw SharedNothingJoin.refused(other)
  }

  private[this] def collector(replica: Int): Collector = pattern match {
    case IntervalPattern.KeyPartitioned => new Multiplexing(sides.length)
    case IntervalPattern.DataPartitioned => new RoundRobin(sides, options.maxWindowRows)
    case _ => new RoundRobinByKey(replica, sides, options.maxWindowRows)
  }

  final private[this] class Source(val side: Side, val id: Int)
      extends JoinSource
      with WaitingSource {
    private[this] val emitter = emitters(id)
    private[this] var last: StreamTuple = _
    private[this] var closed = false

    def canAdd(t: StreamTuple): Boolean = {
      check(t)
      emitter.own(emitter.hasRoom)
    }

    def tryAdd(t: StreamTuple): Boolean = {
      check(t)
      emitter.own(emitter.hasRoom && {
        emitter.add(tupleOf(t), t.ts)
        last = t
        true
      })
    }

    def advance(ts: Long): Unit = {
      ending.throwIfStopped()
      val promise = StreamTuple.punctuation(ts, id)
      if (last == null || EventOrder.Tuples.compare(promise, last) > 0) last = promise
      if (!closed) emitter.own(emitter.promise(ts))
    }

    def close(): Unit = if (!closed) {
      closed = true
      emitter.own(emitter.close())
    }

    override def toString: String = s"source $id ($side)"

    private[this] def check(t: StreamTuple): Unit = {
      ending.throwIfStopped()
      GatedSource.check(t, this, side.toString, t.side eq side, spec.bands.length)
      if (closed) throw new IllegalStateException(s"$this is closed")
      if (last != null && EventOrder.Tuples.compare(t, last) <= 0)
        throw new OutOfOrderException(toString, last.ts, t.ts)
    }
  }
}

package io.scalegate.baseline

import io.scalegate.join.ordered.{
  GatedJoin,
  ReadyInput,
  ResultOrder,
  ResultSink,
  ScannedWindow,
  ThreeSteps
}
import io.scalegate.join.{
  JoinMetrics,
  JoinOptions,
  JoinResult,
  JoinSpec,
  JoinStrategy,
  RunningJoin,
  WorkerMetrics
}
import io.scalegate.stream.{Side, SpscRing, StreamTuple, Work}

/** SplitJoin (Najafi, Sadoghi, Jacobsen, USENIX ATC 2016): tuples flow top-down through a tree of
  * distributors to all join cores; each core stores its turn of the tuples in its sub-windows and
  * processes every tuple against them, with no word to another core; results are gathered behind.
  *
  * Like the original it takes the tuples as one ordered stream, so the input gate is in front of
  * the tree. Besides the cores there is a thread for each distributor, which is the price of the
  * tree.
  *
  * @param threads
  *   join cores
  * @param fanOut
  *   a distributor's children
  * @param precision
  *   the ordering precision (§4.3): a core puts a punctuation behind the results of so many
  *   tuples, and results are in order up to the punctuations' distance. With 1, strictly in the
  *   order of all other joins.
  */
final class SplitJoin(threads: Int, fanOut: Int = 2, precision: Int = 1) extends JoinStrategy {
  require(threads > 0, s"a join needs at least one thread, not $threads")
  require(fanOut > 1, s"a distributor needs at least two children, not $fanOut")
  require(precision > 0, s"the ordering precision is a number of tuples, not $precision")

  def name: String = s"SplitJoin($threads)"

  def open(spec: JoinSpec, sources: IndexedSeq[Side], options: JoinOptions): RunningJoin = {
    val join = new RunningSplitJoin(spec, sources, options, threads, fanOut, precision)
    join.start()
    join
  }
}

final private class RunningSplitJoin(
    spec: JoinSpec,
    sides: IndexedSeq[Side],
    options: JoinOptions,
    threads: Int,
    fanOut: Int,
    precision: Int
) extends GatedJoin(spec, sides, options) {
  /*
   *                         +--> distributor --+--> core 0: W_R/n, W_S/n --> results --+
   *   gate --> distributor -+                  +--> core 1: W_R/n, W_S/n --> results --+--> poll
   *                         +----------------------> core 2: W_R/n, W_S/n --> results --+
   *
   * Every arrow is a ring from one thread to one. What goes through the tree are tuples and
   * heartbeats, behind which a core puts a punctuation. A distributor hands either to all of its
   * children before it takes the next, and waits where there is no room.
   *
   * It does not lock up. A core that waits for room for results of tuple t waits for the consumer;
   * the consumer waits for the other cores, to have got through the interval of t or, if strict,
   * through t. These have been given all up to t, as the core has; and if relaxed, the consumer
   * takes what the waiting core has found in the meantime.
   *
   * Memory order: see SpscRing. A core's metrics are published before its results are closed, and
   * a failure is recorded before that (see GatedJoin).
   */
  private[this] val results =
    Vector.fill(threads)(new SpscRing[JoinResult](options.outputCapacity))
  private[this] val gathering = new SplitJoinGathering(results, isStrict = precision == 1)
  private[this] val links = Vector.fill(threads)(newLink())
  private[this] val cores = Vector.tabulate(threads)(new Core(_))
  private[this] val distributors = {
    val input = new ReadyInput(gate.addReader())
    distribute(() => input.next(), () => input.isDone, links)
  }

  override protected def ownWork: Iterable[Work] = cores ++ distributors

  protected def take(): JoinResult = gathering.poll()

  protected def isExhausted: Boolean = gathering.isDone

  protected def reached: Long = gathering.frontier

  def metrics: JoinMetrics = JoinMetrics(cores.map(_.metrics))

  private[this] def newLink() = new SpscRing[StreamTuple](SplitJoin.LinkCapacity)

  /** The distributors between a parent and the cores' links, the topmost first. */
  private[this] def distribute(
      next: () => StreamTuple,
      isDone: () => Boolean,
      leaves: Vector[SpscRing[StreamTuple]]
  ): Vector[Distributor] = {
    val share = (leaves.size + fanOut - 1) / fanOut
    val children = leaves.grouped(share).toVector.map { group =>
      if (group.size == 1) (group.head, Vector.empty[Distributor])
      else {
        val link = newLink()
        (link, distribute(() => link.poll(), () => link.isDone, group))
      }
    }
    new Distributor(next, isDone, children.map(_._1)) +: children.flatMap(_._2)
  }

  /** What goes through the tree, taken one after the other. */
  abstract private[this] class Part(name: String) extends Work(name) {
    private[this] val room = ownThreads.waiting()

    /** The next tuple or heartbeat; null when there is none yet. */
    protected def next(): StreamTuple

    protected def take(t: StreamTuple): Unit

    final def step(): Boolean = {
      val t = next()
      if (t != null) take(t)
      t != null
    }

    final protected def put[T <: AnyRef](element: T, into: SpscRing[T]): Unit =
      if (!into.offer(element)) room.until(into.offer(element))
  }

  final private[this] class Distributor(
      parent: () => StreamTuple,
      isDone: () => Boolean,
      children: Vector[SpscRing[StreamTuple]]
  ) extends Part("scalegate-join-distributor") {
    def isFinished: Boolean = isDone()

    protected def next(): StreamTuple = parent()

    protected def take(t: StreamTuple): Unit = children.foreach(put(t, _))

    override def end(): Unit = children.foreach(_.close())
  }

  final private[this] class Core(share: Int)
      extends Part(s"scalegate-join-$share")
      with ResultSink {
    private[this] val input = links(share)
    private[this] val output = results(share)
    private[this] var steps: ThreeSteps = _
    private[this] var unpunctuated = 0
    @volatile private[this] var published = WorkerMetrics.Zero

    def metrics: WorkerMetrics = published

    def emit(later: StreamTuple, earlier: StreamTuple): Unit =
      put(new JoinResult(later, earlier), output)

    override def prepare(): Unit = {
      val window = new ScannedWindow(_: Side, spec, options.maxWindowRows)
      steps = new ThreeSteps(spec, share, threads, window, this)
    }

    def isFinished: Boolean = input.isDone

    protected def next(): StreamTuple = input.poll()

    protected def take(t: StreamTuple): Unit = {
      if (!t.isHeartbeat) steps.step(t)
      unpunctuated += 1
      if (t.isHeartbeat || unpunctuated == precision) punctuate(t)
    }

    override def end(): Unit = {
      if (steps != null) published = steps.metrics
      output.close()
    }

    private[this] def punctuate(t: StreamTuple): Unit = {
      unpunctuated = 0
      published = steps.metrics
      put(ResultOrder.punctuation(t), output)
    }
  }
}

private object SplitJoin {

  /** Tuples that may wait on each link of the tree. */
  val LinkCapacity = 256
}

package io.scalegate.join.matrix

import io.scalegate.gate.{GateSource, ScaleGate}
import io.scalegate.join.{MergedResults, _}
import io.scalegate.stream.{
  EventOrder,
  Lifecycle,
  RunningOperator,
  StreamTuple,
  TupleSource,
  Work
}

/** How the workers of a [[CubeJoin]] are arranged: each stream's window is cut into so many
  * segments, and each combination of three segments has a worker.
  */
final case class CubeLayout(r: Int, s: Int, t: Int) {
  require(
    r > 0 && s > 0 && t > 0,
    s"a layout needs at least one segment of each stream, not $r x $s x $t"
  )
  require(
    BigInt(r) * s * t <= MatrixLayout.MostWorkers,
    s"a layout of $r x $s x $t is ${BigInt(r) * s * t} threads, beyond the limit of " +
      s"${MatrixLayout.MostWorkers}; as many workers as cores is sensible"
  )

  def workers: Int = r * s * t

  override def toString: String = s"$r x $s x $t"
}

/** The join of three streams by a cube of workers: the extension of the matrix join that DP-Join
  * (§III-C, last paragraph) leaves open. A tuple of R goes to one of the cube's planes across the
  * first dimension, which share its segment of R's window, and likewise for S and T; so each triple
  * meets in one worker. A tuple enters its plane at the corner that writes the segment, and marks
  * are forwarded from there, over the lines of the plane and along each.
  *
  * What a result is says [[CubeSpec]]; results come in the order of [[CubeResultOrder]], whatever
  * the interleaving of the sources and the layout. Windows are in time.
  */
final class CubeJoin(layout: CubeLayout) {
  def name: String = s"CubeJoin($layout)"

  /** Starts a join whose i-th source delivers tuples of `sources(i)`. A tuple's `source` tells its
    * stream; its `side` is not looked at. The caller closes the join.
    *
    * @throws java.lang.IllegalArgumentException
    *   if the windows of `spec` exclude each other, or its bands disagree on an attribute's type
    */
  def open(
      spec: CubeSpec,
      sources: IndexedSeq[CubeStream],
      options: JoinOptions = JoinOptions()
  ): RunningCubeJoin = {
    val join = new RunningCubeJoin(spec.narrowed, sources, options, layout)
    join.start()
    join
  }
}

/** Where a physical stream enters a join of three. */
trait CubeSource extends TupleSource {

  /** The logical stream that it belongs to. */
  def stream: CubeStream
}

/** A join of three streams under way. Sources, consumer, failures and closing are as in
  * [[io.scalegate.join.RunningJoin]].
  */
final class RunningCubeJoin private[matrix] (
    spec: CubeSpec,
    streams: IndexedSeq[CubeStream],
    options: JoinOptions,
    layout: CubeLayout
) extends RunningOperator[CubeResult](new Lifecycle("join"), options.idle) {
  /*
   * The same emitter, segments, marks and rounds as in RunningMatrixJoin, with a dimension more,
   * and with CubeSteps instead of the three steps for pairs. What is said there of progress and of
   * memory order holds here.
   */
  require(streams.nonEmpty, "a join needs at least one source")

  private[this] val attributes = CubeStream.all.map(spec.attributes)
  private[this] val gate = new ScaleGate[StreamTuple](EventOrder.Tuples, options.inputCapacity)

  val sources: IndexedSeq[CubeSource] = streams.zipWithIndex.map { case (stream, i) =>
    new Source(stream, i, gate.addSource(s"source $i ($stream)"))
  }

  private[this] val results = new MergedResults(
    CubeResultOrder,
    options.outputCapacity,
    CubeResultOrder.punctuation,
    layout.workers
  )
  private[this] val workers = new MatrixWorkers[CubeResult](
    gate.addReader(),
    new Topology(Vector(layout.r, layout.s, layout.t)),
    attributes.map(StreamShape(_, (t: StreamTuple, _) => t.ts)),
    t => streams(t.source).number,
    options,
    results,
    ownThreads,
    (shares, emit) => new CubeSteps(spec, shares, options.maxWindowRows, decide(emit))
  )

  override protected def ownWork: Iterable[Work] = workers.work

  protected def take(): CubeResult = results.poll()

  protected def isExhausted: Boolean = results.isDone

  protected def reached: Long = results.frontier

  /** Work done so far by each thread; exact once the join is done or closed. Any thread. */
  def metrics: JoinMetrics = workers.metrics

  /** The residual predicate's decision, of one worker. */
  private[this] def decide(
      emit: CubeResult => Unit
  ): (StreamTuple, StreamTuple, StreamTuple) => Boolean = {
    val residual = spec.residual.map(_.apply())
    (latest, middle, earliest) => {
      def of(stream: CubeStream): StreamTuple =
        if (streams(latest.source) eq stream) latest
        else if (streams(middle.source) eq stream) middle
        else earliest
      val r = of(CubeStream.R)
      val s = of(CubeStream.S)
      val t = of(CubeStream.T)
      val isResult = residual.forall(_.matches(r, s, t))
      if (isResult) emit(new CubeResult(r, s, t, latest, middle, earliest))
      isResult
    }
  }

  final private[this] class Source(
      val stream: CubeStream,
      val id: Int,
      source: GateSource[StreamTuple]
  ) extends GatedSource(source, ending, stream.toString, attributes(stream.number).length)
      with CubeSource {
    protected def isOfStream(t: StreamTuple): Boolean = true
  }
}

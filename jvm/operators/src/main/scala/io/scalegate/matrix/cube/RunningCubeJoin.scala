package io.scalegate.matrix.cube

import io.scalegate.gate.{GateSource, ScaleGate}
import io.scalegate.join.ordered.{GatedSource, MergedResults}
import io.scalegate.join.{JoinMetrics, JoinOptions}
import io.scalegate.matrix.{
  Arrangement,
  MatrixInput,
  MatrixWorkers,
  Rearrangement,
  StreamShape,
  Topology
}
import io.scalegate.stream.{EventOrder, Lifecycle, RunningOperator, StreamTuple, Work}

/** A join of three streams under way. Sources, consumer, failures and closing are as in
  * `io.scalegate.join.RunningJoin`.
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
    Arrangement.first(
      MatrixInput(
        gate.addReader(),
        attributes.map(StreamShape(_, (t: StreamTuple, _) => t.ts)),
        t => streams(t.source).number,
        options
      ),
      Rearrangement.Never,
      new Topology(Vector(layout.r, layout.s, layout.t))
    ),
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
      def tuple(stream: CubeStream): StreamTuple =
        if (streams(latest.source) eq stream) latest
        else if (streams(middle.source) eq stream) middle
        else earliest
      val r = tuple(CubeStream.R)
      val s = tuple(CubeStream.S)
      val t = tuple(CubeStream.T)
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

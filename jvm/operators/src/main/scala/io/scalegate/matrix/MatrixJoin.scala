package io.scalegate.matrix

import io.scalegate.join.ordered.{GatedJoin, MergedResults, ResultOrder, WindowBounds}
import io.scalegate.join.{JoinMetrics, JoinOptions, JoinResult, JoinSpec, JoinStrategy}
import io.scalegate.partition.MatrixLayout
import io.scalegate.stream.{CountWindow, Side, Sides, StreamTuple, Window, Work}

/** The matrix join (Buono et al., "A High-Throughput and Low-Latency Parallelization of
  * Window-based Stream Joins on Multicores", DP-Join): `rows * columns` workers, each with one
  * segment of R's window and one of S's. A tuple goes to one row or column of workers only, so
  * each of its results waits for a share of the opposite window, and tuples in different rows and
  * columns are joined at once. See `MatrixLayout` for the choice of a layout.
  *
  * Departures from the paper, so that the results and their order are those of every other
  * strategy. A worker takes its two streams in their total order: a tuple waits until the worker
  * knows that nothing earlier comes along the other dimension, which the marks that neighbours
  * forward tell it. The paper's worker takes what comes first, and two tuples that are under way
  * at once may miss or meet each other. Expiry is exact and comes before the search; results are
  * merged in order by an output gate, where the paper's Collector takes them as they come.
  */
final class MatrixJoin private[matrix] (
    val name: String,
    layoutFor: Window => MatrixLayout,
    rearrangement: JoinOptions => Rearrangement
) extends JoinStrategy {
  private def layoutOf: Window => MatrixLayout = layoutFor

  def this(layout: MatrixLayout) =
    this(s"MatrixJoin($layout)", (_: Window) => layout, (_: JoinOptions) => Rearrangement.Never)

  def open(spec: JoinSpec, sources: IndexedSeq[Side], options: JoinOptions): LaidOutJoin = {
    val layout = layoutFor(spec.window)
    val join = new RunningMatrixJoin(spec, sources, options, layout, rearrangement(options))
    join.start()
    join
  }
}

object MatrixJoin {

  /** With the layout of so many workers that `MatrixLayout.choose` gives for a join's window.
    *
    * @param rateR
    *   tuples of R in a unit of time, in which the window is given, too
    */
  def ofWorkers(workers: Int, rateR: Double, rateS: Double): MatrixJoin = {
    def layout(window: Window) = MatrixLayout.choose(workers, rateR, rateS, window)
    layout(CountWindow(1)) // refuses what can be refused before a join is opened
    new MatrixJoin(s"MatrixJoin($workers workers)", layout, _ => Rearrangement.Never)
  }

  /** With so many workers, at first in the layout for two streams alike, later in that for what has come: see
    * `LaidOutJoin`. Results and their order are those of any layout.
    */
  def adaptive(workers: Int): MatrixJoin =
    following(s"$workers workers", ofWorkers(workers, 1, 1).layoutOf)

  /** As above, but in this layout at first. */
  def adaptive(layout: MatrixLayout): MatrixJoin = following(layout.toString, _ => layout)

  private[this] def following(workers: String, atFirst: Window => MatrixLayout) = new MatrixJoin(
    s"MatrixJoin($workers, adaptive)",
    atFirst,
    options => new AdaptiveLayout(options.maxWindowRows)
  )
}

final private[matrix] class RunningMatrixJoin(
    spec: JoinSpec,
    sides: IndexedSeq[Side],
    options: JoinOptions,
    layoutAtFirst: MatrixLayout,
    rearrangement: Rearrangement
) extends GatedJoin(spec, sides, options)
    with LaidOutJoin {
  /*
   *                          S-0          S-1        S's segments
   *                           | s          | s
   *              emitter -----+------------+---.
   *                 |         v            v
   *          R-0  r +---> worker 0 --> worker 1      forward marks along rows and columns;
   *                 |         |            |         the tuples lie in the shared segments
   *                 |         v            v
   *          R-1  r +---> worker 2 --> worker 3      each worker's results --> output gate
   *
   * A worker's round (MatrixWorker, Inlet):
   *   1. It receives, from its left and upper neighbour, or from the emitter where it is the first
   *      of its row or column, a mark: all of the stream's tuples below that ordinal are in the
   *      segment. The first of a row or column writes the segment. It forwards the marks at once,
   *      so its neighbours begin before it has compared anything.
   *   2. The tuples of both segments below the lower of the two marks are complete: it takes them
   *      in their total order, each by the three steps.
   *   3. It promises the output gate that nothing is to come for what it has passed: that mark,
   *      which also covers the tuples of other rows and columns, and heartbeats. It tells the emitter how far it
   *      is, and the segments' writers what it needs no more.
   *   4. If nothing had come it takes the emitter's role.
   *   5. If the emitter has ended this arrangement of the workers, it goes on in the next (Arrangement).
   *
   * Each r of row j meets each s of column k in worker (j, k) and in no other, whichever of them
   * is the later.
   *
   * Progress. Only two things wait: the emitter for the slowest worker, and a worker for room in
   * the output gate. While some wait for room there, the others get all tuples below those that
   * these stand on: marks were forwarded before, and the tuples were emitted. So they promise at
   * least as much, and of the workers that wait, the one with the lowest last result has all of
   * its own ready, for the consumer to take.
   *
   * Memory order: see Segment, Emitter, Inlet. The end of a thread is published by closing its
   * source of the output gate, after its metrics; a failure is recorded before that (GatedJoin).
   */
  private[this] val results =
    new MergedResults(
      ResultOrder,
      options.outputCapacity,
      ResultOrder.punctuation,
      layoutAtFirst.workers
    )
  private[this] val workers = new MatrixWorkers[JoinResult](
    Arrangement.first(
      MatrixInput(
        gate.addReader(),
        Vector(Side.R, Side.S).map(shape),
        t => if (t.side eq Side.R) 0 else 1,
        options
      ),
      rearrangement,
      AdaptiveLayout.topology(layoutAtFirst)
    ),
    results,
    ownThreads,
    (shares, emit) =>
      new MatrixSteps(
        spec,
        Sides(
          new MatrixWindow(Side.R, spec, shares(0), options.maxWindowRows),
          new MatrixWindow(Side.S, spec, shares(1), options.maxWindowRows)
        ),
        (later, earlier) => emit(new JoinResult(later, earlier))
      )
  )

  override protected def ownWork: Iterable[Work] = workers.work

  protected def take(): JoinResult = results.poll()

  protected def isExhausted: Boolean = results.isDone

  protected def reached: Long = results.frontier

  def metrics: JoinMetrics = workers.metrics

  def layout: MatrixLayout = AdaptiveLayout.layout(workers.arrangement.topology)

  def layoutChanges: Int = workers.arrangement.number

  override def details: Seq[(String, Double)] =
    if (rearrangement eq Rearrangement.Never) Nil
    else Seq("layout_changes" -> layoutChanges.toDouble)

  private[this] def shape(side: Side): StreamShape = {
    val bounds = new WindowBounds(side, spec)
    StreamShape(
      spec.bands.map(_.attribute),
      (t: StreamTuple, number) => bounds.windowValue(t, number)
    )
  }
}

package io.scalegate.join.ordered

import java.util.ArrayDeque

import io.scalegate.join.{
  JoinMetrics,
  JoinOptions,
  JoinResult,
  JoinSpec,
  JoinStrategy,
  RunningJoin,
  WorkerMetrics
}
import io.scalegate.stream.{Side, StreamTuple}

/** The sequential join: the exact three steps on every ready tuple, on the thread that polls. The
  * order and the rows of its results define what every other strategy must give.
  */
object NestedLoopJoin extends JoinStrategy {
  def name: String = "nested loop"

  def open(spec: JoinSpec, sources: IndexedSeq[Side], options: JoinOptions): RunningJoin =
    new SequentialJoin(
      spec,
      sources,
      options,
      new ScannedWindow(_, spec, options.maxWindowRows)
    )
}

/** A join that takes its steps on the thread that polls.
  *
  * @param window
  *   makes a side's window, empty
  * @param detailed
  *   what the windows count beside
  */
final private[scalegate] class SequentialJoin(
    spec: JoinSpec,
    sides: IndexedSeq[Side],
    options: JoinOptions,
    window: Side => SearchedWindow,
    detailed: () => Seq[(String, Double)] = () => Nil
) extends GatedJoin(spec, sides, options)
    with ResultSink {
  private[this] val input = gate.addReader()
  private[this] val found = new ArrayDeque[JoinResult]
  private[this] val steps = new ThreeSteps(spec, 0, 1, window, this)
  @volatile private[this] var published = WorkerMetrics.Zero

  protected def take(): JoinResult = {
    if (found.isEmpty) advance()
    found.poll()
  }

  protected def isExhausted: Boolean = found.isEmpty && input.isDone

  protected def reached: Long = if (found.isEmpty) input.horizon() else found.peek.ts

  def metrics: JoinMetrics = JoinMetrics(Vector(published))

  override def details: Seq[(String, Double)] = detailed()

  def emit(later: StreamTuple, earlier: StreamTuple): Unit =
    found.add(new JoinResult(later, earlier))

  /** Takes ready tuples until one has results or there is none. */
  private[this] def advance(): Unit = {
    var t = input.getNextReadyTuple()
    while (t != null) {
      steps.step(t)
      t = if (found.isEmpty && !isStopped) input.getNextReadyTuple() else null
    }
    published = steps.metrics
  }
}

package io.scalegate.matrix

import io.scalegate.column.{WindowLimitException, WindowProbe}
import io.scalegate.join.ordered.{ResultSink, SearchedWindow, ThreeSteps, WindowBounds}
import io.scalegate.join.{JoinSpec, WorkerMetrics}
import io.scalegate.stream.{Side, Sides, StreamTuple}

/** One worker's segment of one stream's window, searched from end to end. */
final private[scalegate] class MatrixWindow(
    side: Side,
    spec: JoinSpec,
    share: Share,
    maxRows: Int
) extends SearchedWindow {
  private[this] val view = share.view
  private[this] val bounds = new WindowBounds(side, spec)
  private[this] val probe = new WindowProbe(view)
  private[this] var streamTuples = 0L

  def isEmpty: Boolean = view.size == 0
  def seen: Long = view.taken
  def stored: Long = if (share.writes && bounds.canBeEarlier) view.stored else 0L
  def peak: Int = if (share.writes) view.peak else 0
  def comparisons: Long = probe.comparisons

  /** The number in the stream of the tuple that is taken next. */
  def nextNumber: Long = share.numberOf(view.taken)

  /** Tells how many tuples of the whole stream lie before the one that reaches next. */
  def slideTo(streamTuples: Long): Unit = this.streamTuples = streamTuples

  def reach(t: StreamTuple): Int = {
    view.expireBefore(bounds.earliestFor(t))
    view.expireBefore(bounds.earliestAfter(t, streamTuples - 1))
    if (view.size == 0 || bounds.isOutOfTime(t)) 0 else view.countUpTo(bounds.latestFor(t))
  }

  def take(t: StreamTuple, isMine: Boolean): Unit = {
    val number = nextNumber
    if (!bounds.canBeEarlier) view.skip()
    else {
      if (view.size >= maxRows) throw new WindowLimitException(view.size, maxRows)
      view.take()
    }
    view.expireBefore(bounds.earliestAfter(t, number))
  }

  def search(reach: Int, ranges: Array[Long]): Int = probe.search(0, reach, ranges)

  def row(k: Int): StreamTuple = view.rowAt(probe.slot(k))
}

/** The three steps of one worker: it probes its segment of the opposite window with every tuple of
  * its row and column, and takes the tuple into its own.
  */
final private[scalegate] class MatrixSteps(
    spec: JoinSpec,
    windows: Sides[MatrixWindow],
    sink: ResultSink
) extends WorkerSteps {
  private[this] val steps = new ThreeSteps(spec, 0, 1, windows(_), sink)

  def step(stream: Int, t: StreamTuple, ordinal: Long): Unit = {
    val before = ordinal - windows(t.side).nextNumber
    windows(t.side.opposite).slideTo(before)
    steps.step(t)
  }

  def metrics: WorkerMetrics = steps.metrics
}

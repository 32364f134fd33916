package io.scalegate.matrix

import io.scalegate.join.WorkerMetrics
import io.scalegate.stream.{PaddedCounter, StreamTuple}

/** What a worker does with the next of its tuples, which is the next row of that stream's view. */
private[matrix] trait WorkerSteps {
  def step(stream: Int, t: StreamTuple, ordinal: Long): Unit

  def metrics: WorkerMetrics
}

/** One worker of the matrix: processes the tuples of its segments in their total order, as far as
  * it has been told of all of them. One thread at a time.
  *
  * @param views
  *   its segment of each stream
  * @param passed
  *   where it tells the emitter how far it is, at first the ordinal of its first tuple
  */
final private[scalegate] class MatrixWorker(
    emitter: Emitter,
    inlets: Array[Inlet],
    views: Array[SegmentView],
    steps: WorkerSteps,
    passed: PaddedCounter
) {
  private[this] val streams = inlets.length
  private[this] var position = passed.get
  private[this] var last: StreamTuple = _

  /** The key of the last tuple of all streams that this worker is past, be it its own or another's,
    * or a heartbeat behind it; null at first.
    */
  def lastPassed: StreamTuple = last

  def isDone: Boolean = emitter.isEnd(position)

  def metrics: WorkerMetrics = steps.metrics

  /** Forwards what has come and processes a few tuples. False when none had come, and none could
    * be emitted.
    */
  def round(): Boolean = {
    val mark = receive()
    val before = position
    if (before < mark.ordinal) {
      process(mark)
      views.foreach(_.publish())
      passed.setRelease(position)
    } else if (before == mark.ordinal && mark.last != null) last = mark.last
    position > before || emitter.tryEmit()
  }

  /** The lowest of the streams' marks. */
  private[this] def receive(): Mark = {
    var lowest: Mark = null
    var a = 0
    while (a < streams) {
      val mark = inlets(a).relay()
      if (lowest == null || mark.ordinal < lowest.ordinal) lowest = mark
      views(a).refresh()
      a += 1
    }
    lowest
  }

  private[this] def process(mark: Mark): Unit = {
    var n = 0
    var stream = earliest(mark.ordinal)
    while (stream >= 0) {
      val view = views(stream)
      val t = view.nextTuple
      val ordinal = view.nextOrdinal
      steps.step(stream, t, ordinal)
      position = ordinal + 1
      n += 1
      if (n < MatrixWorker.Slice) stream = earliest(mark.ordinal)
      else {
        last = StreamTuple.key(t)
        return
      }
    }
    position = mark.ordinal
    last = mark.last
  }

  /** The stream whose next tuple is the lowest below `bound`; -1 when there is none. */
  private[this] def earliest(bound: Long): Int = {
    var stream = -1
    var lowest = bound
    var a = 0
    while (a < streams) {
      val next = views(a).nextOrdinal
      if (next < lowest) {
        lowest = next
        stream = a
      }
      a += 1
    }
    stream
  }
}

private[scalegate] object MatrixWorker {

  /** Tuples that a worker processes before it forwards again what has come. */
  val Slice = 32
}

package io.scalegate.indexjoin

import io.scalegate.index.ConcurrentSlidingIndex
import io.scalegate.join.ordered.WindowBounds
import io.scalegate.join.{ElasticJoin, JoinOptions, JoinSpec}
import io.scalegate.stream.{Side, Sides}

/** The parallel index-based window join (PIM-Tree §4): threads take tasks of a few tuples each
  * from a shared queue, share the windows and their indexes, and may join and leave while it
  * runs. Results come out in the order of `ResultOrder`.
  *
  * @param newIndex
  *   makes an empty index for a window that is expected to hold so many tuples
  * @param taskSize
  *   tuples that a thread takes at a time: more for throughput, fewer for latency
  * @param band
  *   the number of the band that the indexes lie on
  * @param timeWindowRows
  *   the tuples that a window in time is expected to hold of one stream; a lower bound will do
  * @param dimensions
  *   1, or 2 for indexes over the first two bands of a join that has so many, in place of `band`; see
  *   [[KeysOfTwoBands]]
  */
final class ParallelIndexJoin(
    threads: Int,
    newIndex: Int => ConcurrentSlidingIndex,
    taskSize: Int = ParallelIndexJoin.TaskSize,
    band: Int = 0,
    timeWindowRows: Int = IndexJoin.TimeWindowRows,
    dimensions: Int = 1
) extends SelfJoinStrategy {
  require(threads > 0, s"a join needs at least one thread, not $threads")
  require(taskSize > 0, s"a task needs at least one tuple, not $taskSize")
  IndexKeys.requireDimensions(dimensions)

  def name: String = s"parallel index join($threads) over ${newIndex(timeWindowRows).name}"

  def open(spec: JoinSpec, sources: IndexedSeq[Side], options: JoinOptions): ElasticJoin =
    start(spec, sources, options, Sides.each(window(_, spec, options)))

  def openSelf(spec: JoinSpec, sources: Int, options: JoinOptions): ElasticJoin = {
    val one = window(Side.R, spec, options)
    start(spec, SelfJoinStrategy.sides(sources), options, Sides(one, one))
  }

  private[this] def window(side: Side, spec: JoinSpec, options: JoinOptions) = {
    IndexJoin.requireBand(Some(band), spec)
    val rows = WindowBounds.expectedRows(spec.window, timeWindowRows)
    val index = if (spec.bands.isEmpty) null else newIndex(rows)
    new IndexJoinSharedWindow(side, spec, index, options.maxWindowRows)
  }

  private[this] def start(
      spec: JoinSpec,
      sources: IndexedSeq[Side],
      options: JoinOptions,
      windows: Sides[IndexJoinSharedWindow]
  ): ElasticJoin = {
    val join = new RunningParallelIndexJoin(
      spec,
      sources,
      options,
      windows,
      taskSize,
      () => IndexKeys(spec.bands, band, dimensions)
    )
    try join.resize(threads)
    catch {
      case e: Throwable =>
        join.close()
        throw e
    }
    join
  }
}

object ParallelIndexJoin {

  /** The paper's (§5.2). */
  val TaskSize: Int = 8
}

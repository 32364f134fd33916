package io.scalegate.baseline

import io.scalegate.index.SlidingIndex
import io.scalegate.indexjoin.{IndexJoin, IndexJoinWindow}
import io.scalegate.join.ordered.{SharedStepsJoin, WindowBounds}
import io.scalegate.join.{JoinOptions, JoinSpec, JoinStrategy, RunningJoin}
import io.scalegate.stream.Side

/** The index-based window join over round-robin partitions (PIM-Tree §2.2.3 and Fig. 8a): each of
  * `threads` threads holds every n-th tuple of both windows and an index of its own over them, and
  * every tuple is looked up in all of the indexes.
  *
  * No index is shared, so none is locked; but a lookup's descent is paid `threads` times. Results
  * come in order. The paper takes low-latency handshake join's chain to distribute the tuples; here
  * each thread reads the input gate, which costs less.
  *
  * @param newIndex
  *   makes an empty index for a partition that is expected to hold so many tuples
  * @param band
  *   the number of the band that the indexes lie on
  * @param timeWindowRows
  *   the tuples that a window in time is expected to hold of one stream, all partitions together
  */
final class RoundRobinIndexJoin(
    threads: Int,
    newIndex: Int => SlidingIndex,
    band: Int = 0,
    timeWindowRows: Int = IndexJoin.TimeWindowRows
) extends JoinStrategy {
  require(threads > 0, s"a join needs at least one thread, not $threads")

  def name: String = s"round-robin index join($threads) over ${newIndex(timeWindowRows).name}"

  def open(spec: JoinSpec, sources: IndexedSeq[Side], options: JoinOptions): RunningJoin = {
    IndexJoin.requireBand(Some(band), spec)
    val rows = WindowBounds.expectedRows(spec.window, timeWindowRows) / threads + 1
    val index = () => if (spec.bands.isEmpty) null else newIndex(rows)
    val join = new RunningRoundRobinIndexJoin(spec, sources, options, threads, index, band)
    join.start()
    join
  }
}

final private class RunningRoundRobinIndexJoin(
    spec: JoinSpec,
    sides: IndexedSeq[Side],
    options: JoinOptions,
    threads: Int,
    newIndex: () => SlidingIndex,
    band: Int
) extends SharedStepsJoin(
      spec,
      sides,
      options,
      threads,
      new IndexJoinWindow(_, spec, newIndex(), Some(band), dimensions = 1, options.maxWindowRows)
    )

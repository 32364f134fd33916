package io.scalegate.indexjoin

import io.scalegate.index.SlidingIndex
import io.scalegate.join.ordered.{SequentialJoin, WindowBounds}
import io.scalegate.join.{JoinOptions, JoinSpec, RunningJoin}
import io.scalegate.stream.{Side, Sides}

/** The index-based window join (IBWJ, PIM-Tree §2.2) on the thread that polls. A ready tuple's
  * range on one band, or on two, is looked up in an index over the opposite window; what that finds is
  * tested against the other bands on columns, brought into the order of the results, and left to the
  * residual predicate. A spec without bands leaves nothing to look up: then every row in reach is
  * a candidate.
  *
  * @param newIndex
  *   makes an empty index for a window that is expected to hold so many tuples
  * @param band
  *   the number of the band that the indexes lie on; None for the one that lets the least
  *   through, which is then found, and kept up with, by a running sample
  * @param timeWindowRows
  *   the tuples that a window in time is expected to hold of one stream; merge trees take a lower
  *   bound, a chained index is slow when there are many times as many
  * @param dimensions
  *   1, or 2 for an index over the first two bands of a join that has so many, in place of `band`; see
  *   [[KeysOfTwoBands]]
  */
final class IndexJoin(
    newIndex: Int => SlidingIndex,
    band: Option[Int] = None,
    timeWindowRows: Int = IndexJoin.TimeWindowRows,
    dimensions: Int = 1
) extends SelfJoinStrategy {
  IndexKeys.requireDimensions(dimensions)

  def name: String = s"index join over ${newIndex(timeWindowRows).name}"

  def open(spec: JoinSpec, sources: IndexedSeq[Side], options: JoinOptions): RunningJoin =
    start(spec, sources, options, Sides.each(window(_, spec, options)))

  def openSelf(spec: JoinSpec, sources: Int, options: JoinOptions): RunningJoin = {
    val one = window(Side.R, spec, options)
    start(spec, SelfJoinStrategy.sides(sources), options, Sides(one, one))
  }

  private[this] def window(side: Side, spec: JoinSpec, options: JoinOptions) = {
    IndexJoin.requireBand(band, spec)
    val rows = WindowBounds.expectedRows(spec.window, timeWindowRows)
    val index = if (spec.bands.isEmpty) null else newIndex(rows)
    new IndexJoinWindow(side, spec, index, band, dimensions, options.maxWindowRows)
  }

  private[this] def start(
      spec: JoinSpec,
      sources: IndexedSeq[Side],
      options: JoinOptions,
      windows: Sides[IndexJoinWindow]
  ): RunningJoin = new SequentialJoin(
    spec,
    sources,
    options,
    windows(_),
    () => IndexJoin.merges(windows.map(_.index))
  )
}

object IndexJoin {
  val TimeWindowRows: Int = 1 << 12

  /** As `RunningJoin.details` has them; an index is null for a join without bands, and one for both
    * sides where a stream is joined with itself.
    */
  private[indexjoin] def merges(indexes: Sides[SlidingIndex]): Seq[(String, Double)] = {
    val those = indexes.toSeq.distinct.filter(_ != null)
    if (those.isEmpty) Nil else Seq("merges" -> those.map(_.merges).sum.toDouble)
  }

  private[scalegate] def requireBand(band: Option[Int], spec: JoinSpec): Unit =
    if (band.exists(b => b < 0 || b >= spec.bands.length) && spec.bands.nonEmpty)
      throw new IllegalArgumentException(
        s"there is no band ${band.get} to index: the join has ${spec.bands.length}; give a " +
          s"number from 0 to ${spec.bands.length - 1}, or None"
      )
}

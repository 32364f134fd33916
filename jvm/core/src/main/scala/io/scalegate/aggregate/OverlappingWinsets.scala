package io.scalegate.aggregate

import java.util.concurrent.ConcurrentSkipListMap

import io.scalegate.gate.WinsetUpdater
import io.scalegate.stream.StreamTuple

/** Of windows that overlap: in blocks, so that a tuple's key is looked up once for all its windows,
  * or once in each block where there are several. Past the paper, where each winset has a table.
  */
final private[aggregate] class OverlappingWinsets[K, S <: AnyRef, R, Row <: AnyRef](
    spec: AggregateSpec[K, S, R],
    rows: StateRows[StreamTuple, S, Row],
    threads: Int,
    isKeyOwned: Boolean
) extends KeyedWinsets[K, S, R, OverlappingWinset[S, Row]](spec, threads, isKeyOwned) {
  /*
   * Blocks are numbered as windows are; there is one when one of its windows has a tuple. A
   * window that is made has not been taken, nor has any later one; so the consumer, with a window
   * that it has taken, knows that no thread asks for an earlier block again.
   */
  private[this] val shift = OverlappingWinsets.blockShift(spec.windows.size, spec.windows.advance)
  private[this] val blocks = new ConcurrentSkipListMap[java.lang.Long, WinsetBlock[S, Row]]
  private[this] val merging = if (isKeyOwned) null else function

  def create(start: Long): OverlappingWinset[S, Row] = {
    val window = start / spec.windows.advance
    val index = window & ((1 << shift) - 1)
    new OverlappingWinset(start, blockOf(window >> shift), index.toInt)
  }

  def updater(thread: Int): WinsetUpdater[StreamTuple, OverlappingWinset[S, Row]] =
    new LaneUpdater(thread) {
      private[this] var runs = new Array[BlockRun[S, Row]](2)
      private[this] var count = 0

      def enter(w: OverlappingWinset[S, Row]): Unit =
        if (count > 0 && (runs(count - 1).block eq w.block)) runs(count - 1).until += 1
        else {
          if (count == runs.length) runs = java.util.Arrays.copyOf(runs, 2 * count)
          runs(count) = new BlockRun(w.block, w.index)
          count += 1
        }

      def leave(): Unit = {
        java.util.Arrays.fill(runs.asInstanceOf[Array[AnyRef]], null)
        count = 0
      }

      protected def add(lane: Int, key: AnyRef, hash: Int, t: StreamTuple): Unit = {
        var i = 0
        while (i < count) {
          val run = runs(i)
          rows.addToEach(run.block.table(lane).row(key, hash), run.from, run.until, t)
          i += 1
        }
      }

      protected def touch(lane: Int, key: AnyRef, hash: Int): Unit = {
        var i = 0
        while (i < count) {
          val run = runs(i)
          rows.touchEach(run.block.table(lane).row(key, hash), run.from, run.until)
          i += 1
        }
      }
    }

  protected def results(winset: OverlappingWinset[S, Row]): WindowResults[K, R] = {
    val taken = new TakenStates
    winset.block.take(winset.index, merging, taken)
    expected = winset.block.mostKeys
    blocks.headMap((winset.start / spec.windows.advance + 1) >> shift).clear()
    maker(winset.start, taken.keys, taken.states)
  }

  private[this] def blockOf(number: Long): WinsetBlock[S, Row] = {
    val found = blocks.get(number)
    if (found != null) found
    else {
      val made = new WinsetBlock[S, Row](rows, lanes.count, 1 << shift, expected)
      val other = blocks.putIfAbsent(number, made)
      if (other == null) made else other
    }
  }
}

/** Windows of a block that a tuple lies in: those in `[from, until)`. */
final private class BlockRun[S <: AnyRef, Row <: AnyRef](
    val block: WinsetBlock[S, Row],
    val from: Int
) {
  var until: Int = from + 1
}

private object OverlappingWinsets {
  private val WidestShift = 31 - Integer.numberOfLeadingZeros(StateRows.MostPlaces)

  /** For blocks about twice as wide as the windows of a time are many: few tuples lie in two, and
    * few of a rare key's places stay empty.
    */
  private def blockShift(size: Long, advance: Long): Int =
    math.min(64 - java.lang.Long.numberOfLeadingZeros((size - 1) / advance) + 1, WidestShift)
}

package io.scalegate.multiway.winset

import java.util.concurrent.ConcurrentSkipListMap

import io.scalegate.gate.WinsetUpdater
import io.scalegate.multiway.function.{LaneStates, StateLayout, TakenResults}
import io.scalegate.multiway.{AggregateSpec, WindowResults}
import io.scalegate.stream.StreamTuple

/** Of windows that overlap: in blocks, so that a tuple's key is looked up once for all its windows,
  * or once in each block where there are several. Past the paper, where each winset has a table.
  */
final private[scalegate] class OverlappingWinsets[
    K,
    S <: AnyRef,
    R,
    L <: LaneStates[StreamTuple]
](
    spec: AggregateSpec[K, S, R],
    layout: StateLayout[StreamTuple, L],
    threads: Int,
    isKeyOwned: Boolean
) extends LanedWinsets[K, S, R, OverlappingWinset[L]](spec, threads, isKeyOwned) {
  /*
   * Blocks are numbered as windows are; there is one when one of its windows has a tuple. A
   * window that is made has not been taken, nor has any later one; so the consumer, with a window
   * that it has taken, knows that no thread asks for an earlier block again.
   */
  private[this] val shift = layout.blockShift(spec.windows.overlap)
  private[this] val blocks = new ConcurrentSkipListMap[java.lang.Long, WinsetBlock[L]]

  def create(start: Long): OverlappingWinset[L] = {
    val window = start / spec.windows.advance
    val index = window & ((1 << shift) - 1)
    new OverlappingWinset(start, blockOf(window >> shift), index.toInt)
  }

  def updater(thread: Int): WinsetUpdater[StreamTuple, OverlappingWinset[L]] =
    new LaneUpdater(thread) {
      private[this] var runs = new Array[BlockRun[L]](2)
      private[this] var count = 0

      def enter(w: OverlappingWinset[L]): Unit =
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
          val to = run.block.lane(lane)
          to.states.addToEach(to.number(key, hash), run.from, run.until, t)
          i += 1
        }
      }

      protected def touch(lane: Int, key: AnyRef, hash: Int): Unit = {
        var i = 0
        while (i < count) {
          val run = runs(i)
          val to = run.block.lane(lane)
          to.states.touchEach(to.number(key, hash), run.from, run.until)
          i += 1
        }
      }
    }

  protected def results(winset: OverlappingWinset[L]): WindowResults[K, R] = {
    val taken = new TakenResults
    winset.block.take(winset.index, taken)
    expected = winset.block.mostKeys
    blocks.headMap((winset.start / spec.windows.advance + 1) >> shift).clear()
    maker.ofResults(winset.start, taken.keys, taken.results)
  }

  private[this] def blockOf(number: Long): WinsetBlock[L] = {
    val found = blocks.get(number)
    if (found != null) found
    else {
      val made = new WinsetBlock[L](layout, lanes.count, 1 << shift, expected, isKeyOwned)
      val other = blocks.putIfAbsent(number, made)
      if (other == null) made else other
    }
  }
}

/** Windows of a block that a tuple lies in: those in `[from, until)`. */
final private class BlockRun[L <: LaneStates[StreamTuple]](
    val block: WinsetBlock[L],
    val from: Int
) {
  var until: Int = from + 1
}

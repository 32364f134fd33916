package io.scalegate.bench.join

import io.scalegate.index.{PositionBuffer, RangeQuery, SlidingIndex}
import io.scalegate.stream.SortableKey

/** The index-based window join alone (PIM-Tree §2.2), without gates, rows or results: one thread
  * walks both streams in time order, probes the index over the opposite window and counts matches.
  * Its span is that of the C++ kernel `grid` that it is measured against. The index lies on the
  * integer attribute and carries the float one.
  *
  * @param newIndex
  *   makes an empty index for a window of so many tuples
  */
final class IndexArm(r: BandColumns, s: BandColumns, ws: Long, newIndex: Int => SlidingIndex) {

  def run(): ArmResult = {
    val allocated = JoinArm.allocatedBytes()
    val start = System.nanoTime()
    val walk = new IndexWalk(r, s, ws, newIndex)
    val matches = walk.run()
    val seconds = (System.nanoTime() - start) / 1e9
    val bytes = (JoinArm.allocatedBytes() - allocated).toDouble / (r.size + s.size)
    ArmResult(seconds, matches, Vector(walk.found), Some(bytes))
  }
}

/** One walk. Positions in an index are row numbers. */
final private class IndexWalk(
    r: BandColumns,
    s: BandColumns,
    ws: Long,
    newIndex: Int => SlidingIndex
) {
  private[this] val indexR = newIndex(IndexWalk.Window)
  private[this] val indexS = newIndex(IndexWalk.Window)
  private[this] val query = new RangeQuery
  private[this] val buffer = new PositionBuffer
  private[this] var candidates = 0L

  /** Rows that were tested in the indexes. */
  def found: Long = candidates

  def run(): Long = {
    var ir = 0
    var is = 0
    var firstR = 0
    var firstS = 0
    var matches = 0L
    while (ir < r.size || is < s.size)
      if (is >= s.size || (ir < r.size && r.ts(ir) <= s.ts(is))) {
        while (firstS < is && s.ts(firstS) < r.ts(ir) - ws) firstS += 1
        matches += step(indexS, s, firstS, r.i(ir), r.f(ir))
        indexR.insert(r.i(ir).toLong, SortableKey.ofFloat(r.f(ir)), ir.toLong)
        ir += 1
      } else {
        while (firstR < ir && r.ts(firstR) < s.ts(is) - ws) firstR += 1
        matches += step(indexR, r, firstR, s.i(is), s.f(is))
        indexS.insert(s.i(is).toLong, SortableKey.ofFloat(s.f(is)), is.toLong)
        is += 1
      }
    matches
  }

  /** The matches of a tuple in the opposite window, whose rows begin at `first`. A bound widened by
    * one step of a float holds all that the comparison of rounded differences lets through.
    */
  private[this] def step(
      index: SlidingIndex,
      to: BandColumns,
      first: Int,
      x: Int,
      y: Float
  ): Long = {
    index.expireBefore(first.toLong)
    buffer.clear()
    val least = SortableKey.ofFloat(Math.nextDown(y - 10f))
    val greatest = SortableKey.ofFloat(Math.nextUp(y + 10f))
    query.keys(x - 10L, x + 10L).values(least, greatest).positions(first.toLong, Long.MaxValue)
    index.search(query, buffer)
    candidates += buffer.tested
    var matches = 0L
    var k = 0
    while (k < buffer.size) {
      if (math.abs(to.f(buffer(k).toInt) - y) <= 10f) matches += 1
      k += 1
    }
    matches
  }
}

private object IndexWalk {

  /** A lower bound: a window in time does not say how many tuples it holds. */
  val Window: Int = 1 << 12
}

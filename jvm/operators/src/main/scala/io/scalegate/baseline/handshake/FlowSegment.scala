package io.scalegate.baseline.handshake

import io.scalegate.column.{ColumnarWindow, WindowProbe}
import io.scalegate.join.JoinSpec
import io.scalegate.join.ordered.{PairCondition, ResultSink}
import io.scalegate.stream.StreamTuple

/** The tuples of one stream that a node of the chain holds, by number, and the search for those
  * that a tuple of the other stream pairs with. One thread.
  */
final private[baseline] class FlowSegment(
    spec: JoinSpec,
    condition: PairCondition,
    sink: ResultSink,
    maxRows: Int
) {
  private[this] val window = new ColumnarWindow(spec.bands.map(_.attribute), maxRows)
  private[this] val probe = new WindowProbe(window)
  private[this] var found = 0L

  def size: Int = window.size

  def comparisons: Long = probe.comparisons

  def matches: Long = found

  def append(t: FlowTuple): Unit = window.append(t.number, t.at.attrs, t)

  /** The i-th oldest. */
  def apply(i: Int): FlowTuple = window.rowAt(window.slot(i)).asInstanceOf[FlowTuple]

  /** How many of the oldest have a number below `number`. */
  def countBefore(number: Long): Int = window.countUpTo(number - 1)

  def dropBefore(number: Long): Unit = window.expireBefore(number)

  /** Finds the pairs of `t` with the `until` oldest: those that came before `t` and are in its
    * reach, and those that came after it and have it in theirs. Both are runs of rows. Nothing
    * outside of them is compared.
    */
  def meet(t: FlowTuple, until: Int): Unit = {
    val from = math.min(countBefore(t.first), until)
    val to = math.min(countBefore(t.until), until)
    val laterFrom = firstWhere(to, until, apply(_).until > t.number)
    val laterTo = firstWhere(laterFrom, until, apply(_).first > t.number)
    if (to == laterFrom) search(t, from, laterTo)
    else {
      search(t, from, to)
      search(t, laterFrom, laterTo)
    }
  }

  private[this] def search(t: FlowTuple, from: Int, until: Int): Unit = if (from < until) {
    val n = probe.search(from, until, condition.rangesOf(t.at))
    var k = 0
    while (k < n) {
      val other = probe.row(k).asInstanceOf[FlowTuple]
      if (other.number < t.until) decide(t.at, other.at) else decide(other.at, t.at)
      k += 1
    }
  }

  private[this] def decide(later: StreamTuple, earlier: StreamTuple): Unit =
    if (condition.accepts(later, earlier)) {
      found += 1
      sink.emit(later, earlier)
    }

  /** The first index in `[from, until)` that passes a test that all behind it pass, or `until`. */
  private[this] def firstWhere(from: Int, until: Int, test: Int => Boolean): Int = {
    var low = from
    var high = until
    while (low < high) {
      val middle = (low + high) >>> 1
      if (test(middle)) high = middle else low = middle + 1
    }
    low
  }
}

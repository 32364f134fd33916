package io.scalegate.baseline.handshake

import java.util.ArrayDeque

import io.scalegate.join.JoinSpec
import io.scalegate.join.ordered.{PairCondition, ResultSink}
import io.scalegate.stream.StreamTuple

/** The S tuples that a node has passed on before they were stored anywhere, until the neighbour
  * acknowledges them (`IWS` in low-latency handshake join, §4.2). One thread.
  */
final private[baseline] class FlowInFlight(
    spec: JoinSpec,
    condition: PairCondition,
    sink: ResultSink
) {
  private[this] val tuples = new ArrayDeque[FlowTuple]
  private[this] val bands = spec.bands.length
  private[this] var compared = 0L
  private[this] var found = 0L

  def comparisons: Long = compared

  def matches: Long = found

  def add(s: FlowTuple): Unit = tuples.add(s)

  def dropBefore(number: Long): Unit =
    while (!tuples.isEmpty && tuples.peek().number < number) tuples.poll()

  /** Finds the pairs of `r` with all of them. */
  def meet(r: FlowTuple): Unit = if (!tuples.isEmpty) {
    val ranges = condition.rangesOf(r.at)
    val each = tuples.iterator()
    while (each.hasNext) {
      val s = each.next()
      if (r.first <= s.number && s.number < r.until) compare(r.at, s.at, s.at, ranges)
      else if (s.first <= r.number && r.number < s.until) compare(s.at, r.at, s.at, ranges)
    }
  }

  private[this] def compare(
      later: StreamTuple,
      earlier: StreamTuple,
      s: StreamTuple,
      ranges: Array[Long]
  ): Unit = {
    compared += 1
    if (isIn(s, ranges) && condition.accepts(later, earlier)) {
      found += 1
      sink.emit(later, earlier)
    }
  }

  private[this] def isIn(s: StreamTuple, ranges: Array[Long]): Boolean = {
    var i = 0
    while (i < bands && ranges(2 * i) <= s.attrs(i) && s.attrs(i) <= ranges(2 * i + 1)) i += 1
    i == bands
  }
}

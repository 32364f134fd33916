package io.scalegate.baseline

import java.util.PriorityQueue

import io.scalegate.join.JoinResult
import io.scalegate.join.ordered.ResultOrder
import io.scalegate.stream.{EventOrder, SpscRing, StreamTuple}

/** Puts results in order that several threads have found in no order, by punctuations
  * (low-latency handshake join, §5): what has been found is held back until nothing before it is
  * to come. The consumer's.
  *
  * @param found
  *   each thread's results, closed when it has ended
  */
final private[baseline] class PunctuatedResults(found: IndexedSeq[SpscRing[JoinResult]]) {
  private[this] val sorted =
    new PriorityQueue[JoinResult](64, (a: JoinResult, b: JoinResult) => ResultOrder.compare(a, b))
  private[this] var passed: StreamTuple = _
  private[this] var ended = false

  /** Whether there is a result that nothing can come before. */
  def isReady: Boolean = !sorted.isEmpty && (ended || (passed != null &&
    EventOrder.Tuples.compare(sorted.peek().later, passed) <= 0))

  /** The next result, or null when none is ready. */
  def poll(): JoinResult = if (isReady) sorted.poll() else null

  /** Takes what has been found.
    *
    * @param punctuation
    *   a tuple up to which, as later tuples, all results had been found before this call; null:
    *   there is none yet
    */
  def gather(punctuation: StreamTuple): Unit = {
    found.foreach(take)
    ended = found.forall(_.isDone)
    if (punctuation != null) passed = punctuation
  }

  def isDone: Boolean = ended && sorted.isEmpty

  def frontier: Long =
    if (isReady) sorted.peek().ts
    else if (ended) Long.MaxValue
    else if (passed == null) Long.MinValue
    else passed.ts

  private[this] def take(from: SpscRing[JoinResult]): Unit = {
    var result = from.poll()
    while (result != null) {
      sorted.add(result)
      result = from.poll()
    }
  }
}

package io.scalegate.interval.sharednothing

import java.util.PriorityQueue

import io.scalegate.join.JoinResult
import io.scalegate.join.ordered.ResultOrder
import io.scalegate.stream.SpscRing

/** Brings the replicas' results together. The consumer's.
  *
  * @param found
  *   each replica's results and punctuations
  * @param inOrder
  *   whether a result waits until nothing that sorts before it is to come; else it is given as it
  *   comes
  */
final private[sharednothing] class Gathering(
    found: IndexedSeq[SpscRing[JoinResult]],
    inOrder: Boolean
) {
  private[this] val sorted =
    new PriorityQueue[JoinResult](64, (a: JoinResult, b: JoinResult) => ResultOrder.compare(a, b))
  private[this] val bounds = Array.fill(found.length)(Long.MinValue)
  private[this] var turn = 0

  /** The next result, or null when there is none yet. */
  def poll(): JoinResult = if (inOrder) lowest() else any()

  def isDone: Boolean = sorted.isEmpty && found.forall(_.isDone)

  /** No result that is still to come has a later tuple before this time. */
  def frontier: Long = {
    val low = over
    if (sorted.isEmpty) low else math.min(low, sorted.peek().ts)
  }

  private[this] def lowest(): JoinResult = {
    var next = any()
    while (next != null) {
      sorted.add(next)
      next = any()
    }
    if (!sorted.isEmpty && (sorted.peek().ts < over || found.forall(_.isDone))) sorted.poll()
    else null
  }

  private[this] def any(): JoinResult = {
    var result: JoinResult = null
    var tried = 0
    while (result == null && tried < found.length) {
      result = found(turn).poll()
      if (result == null) {
        turn = if (turn + 1 == found.length) 0 else turn + 1
        tried += 1
      } else if (result.earlier == null) {
        bounds(turn) = result.ts
        result = null
      }
    }
    result
  }

  /** The time up to which every replica has given its results. */
  private[this] def over: Long = {
    var low = Long.MaxValue
    var i = 0
    while (i < found.length) {
      if (!found(i).isDone) low = math.min(low, bounds(i))
      i += 1
    }
    low
  }
}

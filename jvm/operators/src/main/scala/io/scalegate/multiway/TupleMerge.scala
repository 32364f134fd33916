package io.scalegate.multiway

import io.scalegate.gate.GateReader
import io.scalegate.stream.StreamTuple

/** The ready tuples of all inputs in their order: the S-Merge stage (multiway aggregation, §2).
  * One thread reads.
  */
private[scalegate] trait TupleMerge {

  /** The next ready tuple; null when there is none yet. */
  def next(): StreamTuple

  /** No tuple still to come has a time below it. */
  def horizon(): Long

  /** Whether every input has closed and every tuple was taken. */
  def isDone: Boolean
}

/** A gate's handle as a merge. */
final private[scalegate] class GateMerge(handle: GateReader[StreamTuple]) extends TupleMerge {
  def next(): StreamTuple = handle.getNextReadyTuple()
  def horizon(): Long = handle.horizon()
  def isDone: Boolean = handle.isDone
}

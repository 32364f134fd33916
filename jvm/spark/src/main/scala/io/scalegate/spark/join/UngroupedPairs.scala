package io.scalegate.spark.join

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import io.scalegate.stream.Side

/** Pairs that are not grouped by their probe rows: each comes with its probe row anew. One thread. */
abstract class UngroupedPairs(probing: Side) extends JoinedPairs(probing) {
  private[this] var probeRow: UnsafeRow = _
  private[this] var foundRow: UnsafeRow = _
  private[this] var ready = false

  /** Looks for the next pair until one is given, or there are no more. */
  protected def seek(): Unit

  /** Whether a pair is given that was not taken yet. */
  final protected def isGiven: Boolean = ready

  final protected def give(probe: UnsafeRow, found: UnsafeRow): Unit = {
    ready = true
    probeRow = probe
    foundRow = found
  }

  /** Likewise, by the sides of the rows. */
  final protected def giveSides(left: UnsafeRow, right: UnsafeRow): Unit =
    if (probing eq Side.R) give(left, right) else give(right, left)

  final def atProbe(): Boolean = {
    if (!ready) seek()
    ready
  }

  final def probe: InternalRow = probeRow

  final def found: UnsafeRow = foundRow

  final protected def moveToMatch(): Boolean = {
    val more = ready
    ready = false
    more
  }
}

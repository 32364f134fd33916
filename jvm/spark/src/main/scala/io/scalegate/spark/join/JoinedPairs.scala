package io.scalegate.spark.join

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{JoinedRow, UnsafeRow}

import io.scalegate.stream.Side

/** A task's joined pairs of rows, and what it took to find them. They can be read one by one, or each probe row once
  * and then what was found for it, but not in turns. One thread, the task's, which closes it when it ends.
  *
  * @param probing
  *   which of a pair's rows is the probe row
  */
abstract class JoinedPairs(probing: Side) extends Iterator[JoinedRow] with AutoCloseable {
  private[this] val pair = new JoinedRow
  private[this] var ready = false
  private[this] var count = 0L

  /** The values of the node's counters, in their order; read when the task ends. Those left out are zero, and
    * those that the node has no counter for are passed over.
    */
  def counts: Seq[Long]

  /** Whether there is a probe row; moves to the next if there are no more matches of the last one. */
  def atProbe(): Boolean

  /** That row; valid until [[atProbe]] is called. */
  def probe: InternalRow

  /** Moves to its next match, if there is one. */
  final def nextMatch(): Boolean = {
    val more = moveToMatch()
    if (more) count += 1
    more
  }

  /** What [[nextMatch]] does besides counting. */
  protected def moveToMatch(): Boolean

  /** The row of the match; valid until the next. */
  def found: UnsafeRow

  /** In what that row lies, for those who read it there. */
  def foundBase: AnyRef = found.getBaseObject

  /** Where in it. */
  def foundOffset: Long = found.getBaseOffset

  /** How many matches there were so far. */
  final def matches: Long = count

  /** The pair that [[next]] gives is valid until the next call of [[hasNext]]. */
  final def hasNext: Boolean = {
    while (!ready && atProbe()) ready = nextMatch()
    ready
  }

  final def next(): JoinedRow = {
    if (!hasNext) throw new NoSuchElementException("the join has no more rows")
    ready = false
    if (probing eq Side.R) pair(probe, found) else pair(found, probe)
  }
}

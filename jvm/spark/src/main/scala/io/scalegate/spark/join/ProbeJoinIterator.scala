package io.scalegate.spark.join

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{GenericInternalRow, UnsafeRow}
import org.apache.spark.sql.scalegate.TaskAccess

import io.scalegate.spark.rows.UnsafeRows

/** Takes the rows of the probe side one after the other, and what is found for each, and gives the join's rows. One
  * thread, the task's. It holds one probe row and one row found for it.
  *
  * @param pairs
  *   whether a pair of a probe row and one found for it is a match
  */
abstract class ProbeJoinIterator(pairs: PairTest) extends JoinedPairs(pairs.probing.side) {
  import ProbeJoinIterator._

  private[this] val probing = pairs.probing
  private[this] val task = TaskContext.get()
  private[this] var refused =
    0 // pairs that were no match since the task was asked whether it goes on
  private[this] val none = new GenericInternalRow(pairs.probed)
  private[this] val nothing = UnsafeRows.ofNulls(pairs.searched)
  private[this] var probeRow: InternalRow = _
  private[this] var instead: UnsafeRow = _ // of a row that is found for the probe row
  private[this] var open = false // a probe row's search goes on
  private[this] var matched = false
  private[this] var taken = 0 // matches of the probe row
  private[this] var unfound = false // a row that nothing was accepted for is to be given

  /** Moves to the next probe row and begins its search; null at the end. */
  protected def nextProbe(): InternalRow

  /** Moves to the next row found for the probe row; false when there are no more. */
  protected def find(): Boolean

  /** That row; valid until the next is found. */
  protected def foundRow: UnsafeRow

  /** In what that row lies. */
  protected def rowBase: AnyRef = foundRow.getBaseObject

  /** Where in it. */
  protected def rowOffset: Long = foundRow.getBaseOffset

  /** Told that the row found last is a match. */
  protected def accepted(): Unit = ()

  /** When all probes are through: the next row that nothing was accepted for, null when there are no more. */
  protected def nextUnfound(): UnsafeRow = null

  def close(): Unit = ()

  final def atProbe(): Boolean =
    open || unfound || begin() || (probing.unfound && beginUnfound())

  final def probe: InternalRow = probeRow

  final def found: UnsafeRow = if (instead == null) foundRow else instead

  final override def foundBase: AnyRef =
    if (instead == null) rowBase else instead.getBaseObject

  final override def foundOffset: Long =
    if (instead == null) rowOffset else instead.getBaseOffset

  final protected def moveToMatch(): Boolean = {
    var ready = unfound
    unfound = false
    while (open && !ready) ready = if (find()) decide() else end()
    ready
  }

  private[this] def begin(): Boolean = {
    if (!matched) refuse()
    probeRow = nextProbe()
    open = probeRow != null
    matched = false
    taken = 0
    instead = null
    open
  }

  private[this] def beginUnfound(): Boolean = {
    probeRow = none
    instead = nextUnfound()
    unfound = instead != null
    unfound
  }

  /** Whether the row that was found makes a pair to be given. */
  private[this] def decide(): Boolean = {
    val accepted = pairs.isPassed || pairs.holds(probeRow, foundRow)
    if (accepted) {
      matched = true
      taken += 1
      if (probing.unfound) this.accepted()
      open = probing.pairs && taken < probing.most
    } else refuse()
    accepted && (probing.pairs || !probing.unmatched)
  }

  /** A task that gives no rows is not ended by those that read them when it is killed. */
  private[this] def refuse(): Unit = {
    refused += 1
    if (refused == Patience) {
      refused = 0
      TaskAccess.stopIfKilled(task)
    }
  }

  /** Whether the probe row, for which all was found, is to be given without a match. */
  private[this] def end(): Boolean = {
    open = false
    instead = nothing
    probing.unmatched && !matched
  }
}

private object ProbeJoinIterator {

  /** Pairs and probe rows without a match, of which thousands take less than a millisecond. */
  final private val Patience = 1 << 12
}

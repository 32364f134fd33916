package io.scalegate.spark.window.partial

import java.lang.Long.{bitCount, numberOfTrailingZeros}

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.Platform

/** Neighbouring panes of one key, up to 64 of them: how partial results of fixed size are exchanged, and stored between
  * batches. In bytes, a word whose bits say which panes are there, and their results one after the other.
  */
private[scalegate] object PaneBlock {

  /** The block of a pane, by the pane's number. */
  def blockOf(paneNumber: Long): Long = paneNumber >> Bits

  /** The pane's bit among those of its block. */
  def bitOf(paneNumber: Long): Long = 1L << (paneNumber & (Panes - 1))

  /** Says which panes there are, and begins the bytes. */
  def bits(panes: Array[Byte]): Long = Platform.getLong(panes, Platform.BYTE_ARRAY_OFFSET)

  /** Where the bytes of the first result begin. */
  val First: Long = Platform.BYTE_ARRAY_OFFSET + 8L

  val Bits: Int = 6
  val Panes: Int = 1 << Bits
}

/** The panes of one block, put together from what tasks had of it. The results are the caller's. What one task had
  * alone is not copied.
  *
  * {{{
  *   one      [ bits | result of the 1st bit that is set | of the 2nd | ... ]    of the only task, or null
  *   results  [ of bit 0 | of bit 1 | ... of bit 63 ]                            of several
  * }}}
  *
  * One thread, the task's; it holds one block.
  */
final private[scalegate] class PaneBlock(partials: FixedPartials) {
  private[this] val resultBytes = partials.resultBytes
  private[this] val held, other = new UnsafeRow(partials.columns)
  private[this] var one: Array[Byte] = _
  private[this] var next = 0L // of the results in `one`
  private[this] var results: Array[Byte] = _
  private[this] var lent = false // whether the caller has some of `results`
  private[this] var bits = 0L
  private[this] var first = 0L
  private[this] var mergeCount = 0L

  /** Merges since the beginning. */
  def merges: Long = mergeCount

  /** Begins with a block of no panes. */
  def begin(block: Long): Unit = {
    first = block * PaneBlock.Panes
    bits = 0L
    one = null
    if (lent) results = null
    lent = false
  }

  /** Merges what one task had of the block: the array is kept. */
  def add(panes: Array[Byte]): Unit = {
    val theirs = PaneBlock.bits(panes)
    if (panes.length != 8 + bitCount(theirs) * resultBytes)
      throw new IllegalStateException(
        s"a block of ${bitCount(theirs)} panes has ${panes.length} bytes"
      )
    if (bits == 0) {
      one = panes
      next = PaneBlock.First
    } else {
      spread()
      var rest = theirs
      var from = PaneBlock.First
      while (rest != 0) {
        val to = at(numberOfTrailingZeros(rest))
        if ((bits & rest & -rest) == 0) copy(panes, from, results, to)
        else {
          held.pointTo(results, to, resultBytes)
          other.pointTo(panes, from, resultBytes)
          partials.mergeInto(held, other)
          mergeCount += 1
        }
        from += resultBytes
        rest &= rest - 1
      }
    }
    bits |= theirs
  }

  def isEmpty: Boolean = bits == 0

  /** The number of the first pane that is left. */
  def paneNumber: Long = first + numberOfTrailingZeros(bits)

  /** Takes its result out. */
  def take(): UnsafeRow = {
    val result = new UnsafeRow(partials.columns)
    if (one ne null) result.pointTo(one, next, resultBytes)
    else {
      result.pointTo(results, at(numberOfTrailingZeros(bits)), resultBytes)
      lent = true
    }
    drop()
    result
  }

  /** Forgets it. */
  def drop(): Unit = {
    if (one ne null) next += resultBytes
    bits &= bits - 1
  }

  /** The numbers of the panes that are left. */
  def foreachNumber(f: Long => Unit): Unit = {
    var rest = bits
    while (rest != 0) {
      f(first + numberOfTrailingZeros(rest))
      rest &= rest - 1
    }
  }

  /** Takes the panes out whose bits are among `some`, in the form in which [[add]] takes them. */
  def takeAll(some: Long): Array[Byte] = {
    val taken = bits & some
    val made =
      if ((one ne null) && taken == PaneBlock.bits(one)) one
      else {
        spread()
        packed(taken)
      }
    bits &= ~taken
    made
  }

  private[this] def packed(taken: Long): Array[Byte] = {
    val made = new Array[Byte](8 + bitCount(taken) * resultBytes)
    Platform.putLong(made, Platform.BYTE_ARRAY_OFFSET, taken)
    var rest = taken
    var to = PaneBlock.First
    while (rest != 0) {
      copy(results, at(numberOfTrailingZeros(rest)), made, to)
      to += resultBytes
      rest &= rest - 1
    }
    made
  }

  /** Copies the panes that are left of `one` to their slots in `results`. */
  private[this] def spread(): Unit = if (one ne null) {
    if (results eq null) results = new Array[Byte](PaneBlock.Panes * resultBytes)
    var rest = bits
    while (rest != 0) {
      copy(one, next, results, at(numberOfTrailingZeros(rest)))
      next += resultBytes
      rest &= rest - 1
    }
    one = null
  }

  /** By words, which a few of are done with before a call of the virtual machine's own copying has begun. */
  private[this] def copy(from: Array[Byte], fromAt: Long, to: Array[Byte], toAt: Long): Unit = {
    var i = 0
    while (i < resultBytes) {
      Platform.putLong(to, toAt + i, Platform.getLong(from, fromAt + i))
      i += 8
    }
  }

  private[this] def at(slot: Int): Long = Platform.BYTE_ARRAY_OFFSET + slot.toLong * resultBytes
}

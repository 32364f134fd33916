package io.scalegate.spark.aggregate

import java.lang.Long.{bitCount, numberOfTrailingZeros}

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.Platform

/** Neighbouring panes of one key, up to 64 of them: how partial results of fixed size are exchanged. In bytes, a word
  * whose bits say which panes are there, and their results one after the other.
  */
private[aggregate] object PaneBlock {

  /** The block of a pane's place. */
  def of(place: Long): Long = place >> Bits

  /** The place's bit among those of its block. */
  def bit(place: Long): Long = 1L << (place & (Panes - 1))

  /** Says which panes there are, and begins the bytes. */
  def bits(panes: Array[Byte]): Long = Platform.getLong(panes, Platform.BYTE_ARRAY_OFFSET)

  val Bits: Int = 6
  val Panes: Int = 1 << Bits
}

/** The panes of one block, put together from what tasks had of it. The results are the caller's:
  * each block has memory of its own. One thread.
  */
final private[aggregate] class PaneBlock(partials: FixedPartials) {
  private[this] val resultBytes = partials.resultBytes
  private[this] val held, other = new UnsafeRow(partials.columns)
  private[this] var results: Array[Byte] = _
  private[this] var bits = 0L
  private[this] var first = 0L
  private[this] var mergeCount = 0L

  /** Merges since the beginning. */
  def merges: Long = mergeCount

  /** Begins with a block of no panes. */
  def begin(block: Long): Unit = {
    first = block * PaneBlock.Panes
    bits = 0L
    results = new Array[Byte](PaneBlock.Panes * resultBytes)
  }

  /** Merges what one task had of the block. */
  def add(panes: Array[Byte]): Unit = {
    val theirs = PaneBlock.bits(panes)
    if (panes.length != 8 + bitCount(theirs) * resultBytes)
      throw new IllegalStateException(
        s"a block of ${bitCount(theirs)} panes has ${panes.length} bytes"
      )
    var rest = theirs
    var from = Platform.BYTE_ARRAY_OFFSET + 8L
    while (rest != 0) {
      val to = at(numberOfTrailingZeros(rest))
      if ((bits & rest & -rest) == 0) Platform.copyMemory(panes, from, results, to, resultBytes)
      else {
        held.pointTo(results, to, resultBytes)
        other.pointTo(panes, from, resultBytes)
        partials.mergeInto(held, other)
        mergeCount += 1
      }
      from += resultBytes
      rest &= rest - 1
    }
    bits |= theirs
  }

  def isEmpty: Boolean = bits == 0

  /** The place of the first pane that is left. */
  def place: Long = first + numberOfTrailingZeros(bits)

  /** Takes its result out. */
  def take(): UnsafeRow = {
    val result = new UnsafeRow(partials.columns)
    result.pointTo(results, at(numberOfTrailingZeros(bits)), resultBytes)
    bits &= bits - 1
    result
  }

  /** The places of the panes that are left. */
  def foreachPlace(f: Long => Unit): Unit = {
    var rest = bits
    while (rest != 0) {
      f(first + numberOfTrailingZeros(rest))
      rest &= rest - 1
    }
  }

  /** Takes the panes out whose bits are among `some`, in the form in which [[add]] takes them. */
  def takeAll(some: Long): Array[Byte] = {
    val taken = bits & some
    val made = new Array[Byte](8 + bitCount(taken) * resultBytes)
    Platform.putLong(made, Platform.BYTE_ARRAY_OFFSET, taken)
    var rest = taken
    var to = Platform.BYTE_ARRAY_OFFSET + 8L
    while (rest != 0) {
      Platform.copyMemory(results, at(numberOfTrailingZeros(rest)), made, to, resultBytes)
      to += resultBytes
      rest &= rest - 1
    }
    bits &= ~taken
    made
  }

  private[this] def at(slot: Int): Long = Platform.BYTE_ARRAY_OFFSET + slot.toLong * resultBytes
}

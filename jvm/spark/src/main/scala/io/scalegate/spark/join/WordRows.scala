package io.scalegate.spark.join

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, UnsafeRow}
import org.apache.spark.unsafe.Platform

import io.scalegate.stream.Side

/** A column of a joined pair, one word wide.
  *
  * @param side
  *   whose row has it
  * @param at
  *   its index in that row
  */
final private[scalegate] case class RowWord(side: Side, at: Int)

/** The rows of pairs, copied word by word: Spark would write column by column, and ask of each whether it is NULL. Each
  * row is valid until the next. One thread, the task's; it holds one row.
  *
  * @param words
  *   of its columns, of which there are no more than a word has bits
  * @param widths
  *   the columns of a left row and of a right one
  */
final private[scalegate] class WordRows(
    pairs: AddressedPairs,
    words: Seq[RowWord],
    widths: (Int, Int)
) extends Iterator[InternalRow] {
  private[this] val row = new UnsafeRow(words.length)
  private[this] val bytes = new Array[Byte](UnsafeRow.WORD_SIZE * (1 + words.length))
  private[this] val left = new CopiedWords(words, Side.R, widths._1, bytes)
  private[this] val right = new CopiedWords(words, Side.S, widths._2, bytes)

  row.pointTo(bytes, bytes.length)

  def hasNext: Boolean = pairs.hasNext

  def next(): InternalRow = {
    pairs.take()
    val nulls = left.copy(pairs.leftBase, pairs.leftOffset) |
      right.copy(pairs.rightBase, pairs.rightOffset)
    Platform.putLong(bytes, Platform.BYTE_ARRAY_OFFSET, nulls)
    row
  }
}

/** Those words of a row that come from one side.
  *
  * @param width
  *   the columns of that side's row
  * @param bytes
  *   of the row
  */
final private class CopiedWords(words: Seq[RowWord], side: Side, width: Int, bytes: Array[Byte]) {
  private[this] val mine = words.zipWithIndex.filter(_._1.side eq side)
  private[this] val values = UnsafeRow.calculateBitSetWidthInBytes(width)
  private[this] val from =
    mine.map { case (w, _) => values + w.at * UnsafeRow.WORD_SIZE }.toArray
  private[this] val to = mine.map { case (_, i) =>
    Platform.BYTE_ARRAY_OFFSET + (1L + i) * UnsafeRow.WORD_SIZE
  }.toArray

  // Bits that lie in one word and move by as many are moved together.
  private[this] val moves = mine
    .groupMap { case (w, i) => (w.at / java.lang.Long.SIZE, i - w.at % java.lang.Long.SIZE) } {
      case (w, _) => 1L << w.at % java.lang.Long.SIZE
    }
    .toArray
  private[this] val nullWords = moves.map { case ((word, _), _) => word * UnsafeRow.WORD_SIZE }
  private[this] val nullMoves = moves.map { case ((_, by), _) => by }
  private[this] val nullMasks = moves.map { case (_, bits) => bits.reduce(_ | _) }

  private[this] var lastBase: AnyRef = _
  private[this] var lastOffset = 0L
  private[this] var nulls = 0L

  /** Copies the words of the row that lies there, if it is not the one before, and gives the bits of those that are
    * NULL.
    */
  def copy(base: AnyRef, offset: Long): Long = {
    if ((base ne lastBase) || offset != lastOffset) {
      lastBase = base
      lastOffset = offset
      copyWords(base, offset)
      nulls = nullBits(base, offset)
    }
    nulls
  }

  private[this] def copyWords(base: AnyRef, offset: Long): Unit = {
    var i = 0
    while (i < from.length) {
      Platform.putLong(bytes, to(i), Platform.getLong(base, offset + from(i)))
      i += 1
    }
  }

  private[this] def nullBits(base: AnyRef, offset: Long): Long = {
    var all = 0L
    var i = 0
    while (i < nullMasks.length) {
      val bits = Platform.getLong(base, offset + nullWords(i)) & nullMasks(i)
      all |= java.lang.Long.rotateLeft(bits, nullMoves(i))
      i += 1
    }
    all
  }
}

private[scalegate] object WordRows {

  /** Whether rows of these columns can be made so. */
  def fits(columns: Seq[Attribute]): Boolean =
    columns.nonEmpty && columns.length <= java.lang.Long.SIZE &&
      columns.forall(a => UnsafeRow.isFixedLength(a.dataType))
}

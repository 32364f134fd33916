package io.scalegate.spark.aggregate

import java.lang.Long.bitCount
import java.nio.ByteOrder
import java.util.Arrays

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.catalyst.expressions.codegen.CodeGenerator
import org.apache.spark.sql.types.DataType
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.array.ByteArrayMethods

/** The partial results of a task's rows by key and pane, those of a key in blocks of neighbouring panes: a row's update
  * is one look-up in a table of keys, and rows whose times ascend find what they change where the row before left it.
  * An entry is a key and a block; its results are packed, in the order of the panes, and a bit for each pane says which
  * are there, so neither a key with one pane nor one whose rows come in any order costs more than what it holds.
  *
  * {{{
  *   entry   [ size of key | block | bits | place of results, room | key ... ]
  *   results [ result of the 1st bit that is set | of the 2nd | ... ]        room for 1, 2, 4, ... 64
  * }}}
  *
  * All of it lies in arrays of 64-bit words; a place is an array's number and an offset in it. For one thread.
  *
  * @param initial
  *   the result of no rows; all results are of its size, and are changed in place
  */
final private[aggregate] class PaneTable(initial: UnsafeRow) {
  import PaneTable._

  private[this] val resultBytes = initial.getSizeInBytes
  private[this] val resultWords = words(resultBytes)
  private[this] val start = {
    val made = new Array[Long](resultWords)
    initial.writeToMemory(made, Platform.LONG_ARRAY_OFFSET)
    made
  }

  private[this] var arrays: Array[Array[Long]] = _
  private[this] var last = 0 // of the arrays
  private[this] var used = 0 // words of that one
  private[this] val free = new Array[Int](Rooms)

  /** Of each entry its hash, in the upper half, and its place plus 1; 0 where there is none. */
  private[this] var slots: Array[Long] = _
  private[this] var entries: Array[Int] = _
  private[this] var count = 0
  private[this] var total = 0L

  clear()

  /** Keys and blocks held. */
  def size: Int = count

  /** Of all that is allocated. */
  def bytes: Long = total

  /** Forgets everything. */
  def clear(): Unit = {
    arrays = new Array[Array[Long]](4)
    last = -1
    used = 0
    count = 0
    slots = new Array[Long](FirstSlots)
    entries = new Array[Int](FirstSlots / 2)
    total = 8L * slots.length + 4L * entries.length
    Arrays.fill(free, None)
  }

  /** Makes `result` the one of a pane, which is that of no rows when the pane is new. It may be changed until the next
    * call.
    *
    * @param place
    *   the pane's number
    */
  def point(result: UnsafeRow, key: UnsafeRow, place: Long): Unit =
    pointIn(find(key, PaneBlock.of(place)), result, place)

  /** The same for a key of one column of at most eight bytes, which is compared without a row of it.
    *
    * @param nulls
    *   the row's first word, which says whether the column is NULL
    * @param word
    *   its second, of [[KeyWord]]
    */
  def point(result: UnsafeRow, nulls: Long, word: Long, place: Long): Unit =
    pointIn(find(nulls, word, PaneBlock.of(place)), result, place)

  private[this] def pointIn(entry: Int, result: UnsafeRow, place: Long): Unit = {
    val array = arrays(entry >>> OffsetBits)
    val at = entry & OffsetMask
    val bit = PaneBlock.bit(place)
    val rank = bitCount(array(at + Bits) & (bit - 1))
    if ((array(at + Bits) & bit) == 0) insert(array, at, rank, bit)
    val results = (array(at + Results) >>> RoomBits).toInt
    pointAt(result, results, rank * resultWords, resultBytes)
  }

  /** Makes `key` the key of an entry. */
  def pointKey(key: UnsafeRow, number: Int): Unit = {
    val entry = entries(number)
    pointAt(key, entry, Key, wordOf(entry, KeySize).toInt)
  }

  def block(number: Int): Long = wordOf(entries(number), Block)

  /** The panes of an entry as [[PaneBlock]] has them. */
  def panes(number: Int): Array[Byte] = {
    val entry = entries(number)
    val bits = wordOf(entry, Bits)
    val results = (wordOf(entry, Results) >>> RoomBits).toInt
    val made = new Array[Byte](8 + bitCount(bits) * resultBytes)
    Platform.putLong(made, Platform.BYTE_ARRAY_OFFSET, bits)
    Platform.copyMemory(
      arrays(results >>> OffsetBits),
      byteOf(results & OffsetMask),
      made,
      Platform.BYTE_ARRAY_OFFSET + 8L,
      made.length - 8L
    )
    made
  }

  private[this] def wordOf(place: Int, word: Int): Long =
    arrays(place >>> OffsetBits)((place & OffsetMask) + word)

  private[this] def pointAt(row: UnsafeRow, place: Int, word: Int, size: Int): Unit =
    row.pointTo(arrays(place >>> OffsetBits), byteOf((place & OffsetMask) + word), size)

  private[this] def find(key: UnsafeRow, block: Long): Int = {
    val hash = hashOf(key.hashCode.toLong, block)
    var i = hash & (slots.length - 1)
    while (slots(i) != 0L && !isAt(slots(i), hash, key, block)) i = (i + 1) & (slots.length - 1)
    if (slots(i) != 0L) placeIn(slots(i))
    else {
      val entry = add(key.getSizeInBytes, block, hash, i)
      key.writeToMemory(arrays(entry >>> OffsetBits), byteOf((entry & OffsetMask) + Key))
      entry
    }
  }

  private[this] def find(nulls: Long, word: Long, block: Long): Int = {
    val hash = hashOf(word + nulls, block)
    var i = hash & (slots.length - 1)
    while (slots(i) != 0L && !isAt(slots(i), hash, nulls, word, block))
      i = (i + 1) & (slots.length - 1)
    if (slots(i) != 0L) placeIn(slots(i))
    else {
      val entry = add(WordKeyBytes, block, hash, i)
      val array = arrays(entry >>> OffsetBits)
      val at = entry & OffsetMask
      array(at + Key) = nulls
      array(at + Key + 1) = word
      entry
    }
  }

  private[this] def isAt(slot: Long, hash: Int, nulls: Long, word: Long, block: Long): Boolean =
    (slot >>> 32).toInt == hash && {
      val entry = placeIn(slot)
      val array = arrays(entry >>> OffsetBits)
      val at = entry & OffsetMask
      array(at + Key + 1) == word && array(at + Block) == block && array(at + Key) == nulls
    }

  private[this] def isAt(slot: Long, hash: Int, key: UnsafeRow, block: Long): Boolean =
    (slot >>> 32).toInt == hash && {
      val entry = placeIn(slot)
      val array = arrays(entry >>> OffsetBits)
      val at = entry & OffsetMask
      array(at + Block) == block && array(at + KeySize) == key.getSizeInBytes &&
      ByteArrayMethods.arrayEquals(
        key.getBaseObject,
        key.getBaseOffset,
        array,
        byteOf(at + Key),
        key.getSizeInBytes.toLong
      )
    }

  /** Adds an entry, whose key is still to be written. */
  private[this] def add(keyBytes: Int, block: Long, hash: Int, slot: Int): Int = {
    val entry = allocate(Key + words(keyBytes))
    val array = arrays(entry >>> OffsetBits)
    val at = entry & OffsetMask
    array(at + KeySize) = keyBytes.toLong
    array(at + Block) = block
    array(at + Results) = roomFor(0)
    slots(slot) = (hash.toLong << 32) | (entry + 1).toLong
    if (count == entries.length) grow()
    entries(count) = entry
    count += 1
    entry
  }

  private[this] def grow(): Unit = {
    val old = slots
    slots = new Array[Long](2 * old.length)
    entries = Arrays.copyOf(entries, 2 * count)
    total += 8L * old.length + 4L * count
    var i = 0
    while (i < old.length) {
      if (old(i) != 0L) {
        var to = (old(i) >>> 32).toInt & (slots.length - 1)
        while (slots(to) != 0L) to = (to + 1) & (slots.length - 1)
        slots(to) = old(i)
      }
      i += 1
    }
  }

  /** Makes room for a pane's result among those of its block, and puts the one of no rows there. */
  private[this] def insert(array: Array[Long], at: Int, rank: Int, bit: Long): Unit = {
    val held = bitCount(array(at + Bits))
    val room = (array(at + Results) & RoomMask).toInt
    val results = (array(at + Results) >>> RoomBits).toInt
    val from = arrays(results >>> OffsetBits)
    val first = results & OffsetMask
    val behind = (held - rank) * resultWords
    if (held < (1 << room)) {
      val gap = first + rank * resultWords
      System.arraycopy(from, gap, from, gap + resultWords, behind)
      System.arraycopy(start, 0, from, gap, resultWords)
    } else {
      val made = roomFor(room + 1)
      val to = arrays((made >>> RoomBits).toInt >>> OffsetBits)
      val begin = (made >>> RoomBits).toInt & OffsetMask
      val gap = begin + rank * resultWords
      System.arraycopy(from, first, to, begin, rank * resultWords)
      System.arraycopy(from, first + rank * resultWords, to, gap + resultWords, behind)
      System.arraycopy(start, 0, to, gap, resultWords)
      array(at + Results) = made
      from(first) = free(room).toLong
      free(room) = results
    }
    array(at + Bits) |= bit
  }

  /** A place for `1 << room` results, with `room` in its lowest bits. */
  private[this] def roomFor(room: Int): Long = {
    val freed = free(room)
    val place =
      if (freed == None) allocate(math.max(1, resultWords << room))
      else {
        free(room) = wordOf(freed, 0).toInt
        freed
      }
    (place.toLong << RoomBits) | room.toLong
  }

  private[this] def allocate(size: Int): Int = {
    if (last < 0 || arrays(last).length - used < size) {
      last += 1
      if (last == arrays.length) arrays = Arrays.copyOf(arrays, 2 * last)
      arrays(last) = new Array[Long](math.max(size, ArrayWords))
      used = 0
      total += 8L * arrays(last).length
    }
    val place = (last << OffsetBits) | used
    used += size
    place
  }
}

private object PaneTable {
  private val KeySize = 0
  private val Block = 1
  private val Bits = 2
  private val Results = 3
  private val Key = 4

  /** A word that says whether the column is NULL, and its value. */
  private val WordKeyBytes = 16

  private val RoomBits = 3
  private val RoomMask = 7L
  private val Rooms = 7

  /** Arrays stay below what the garbage collectors take for a huge object of its own. */
  private val OffsetBits = 15
  private val OffsetMask = (1 << OffsetBits) - 1
  private val ArrayWords = 1 << OffsetBits

  private val FirstSlots = 256
  private val None = -1

  private def words(bytes: Int): Int = (bytes + 7) / 8

  private def byteOf(word: Int): Long = Platform.LONG_ARRAY_OFFSET + 8L * word

  private def placeIn(slot: Long): Int = slot.toInt - 1

  private def hashOf(key: Long, block: Long): Int = {
    val mixed = (key * 0xbf58476d1ce4e5b9L ^ block) * 0x9e3779b97f4a7c15L
    (mixed ^ (mixed >>> 32)).toInt
  }
}

/** Columns as the words that they are within an UnsafeRow; 0 where NULL. Public for generated code. */
object KeyWord {
  private[this] val bigEndian = ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN

  def of(value: Int): Long = if (bigEndian) value.toLong << 32 else value & 0xffffffffL
  def of(value: Long): Long = value

  /** Whether a type has such words here; keys of other types are compared as rows. */
  private[aggregate] def has(of: DataType): Boolean =
    CodeGenerator.javaType(of) match {
      case CodeGenerator.JAVA_INT | CodeGenerator.JAVA_LONG => true
      case _ => false
    }
}

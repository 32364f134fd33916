package io.scalegate.spark.window.partial

import java.lang.Long.bitCount
import java.util.Arrays

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.array.ByteArrayMethods

/** The partial results of a task's rows by key and pane, those of a key in blocks of neighbouring panes: a row's update
  * is one look-up in a table of keys and blocks, and rows whose times ascend find what they change where the row before
  * left it. The results of a block are packed, in the order of the panes, and a bit for each pane says which are there,
  * so neither a key with one pane nor one whose rows come in any order costs more than what it holds.
  *
  * {{{
  *   cell    [ key | block | bits | address of results, kind of key, room ]   in a hash table; 0 where free
  *   key     the value itself; or the upper half of a hash, and the address of [ size | key ... ]
  *   results [ result of the 1st bit that is set | of the 2nd | ... ]       room for 1, 2, 4, ... 64
  * }}}
  *
  * All of it lies in arrays of 64-bit words; an address is an array's number and an offset in it. One thread, the
  * task's. It grows until it is cleared: whoever fills it asks for its bytes, and reserves the memory.
  *
  * @param initial
  *   the result of no rows; all results are of its size, and are changed in place
  */
final private[scalegate] class PaneTable(initial: UnsafeRow) {
  import PaneTable._

  private[this] val resultBytes = initial.getSizeInBytes
  private[this] val resultWords = words(resultBytes)
  private[this] val start = {
    val made = new Array[Long](resultWords)
    initial.writeToMemory(made, Platform.LONG_ARRAY_OFFSET)
    made
  }

  /** Of keys and results. */
  private[this] var arrays: Array[Array[Long]] = _
  private[this] var last = 0 // of the arrays
  private[this] var used = 0 // words of that one
  private[this] val free = new Array[Int](Rooms)

  private[this] var cells: Array[Array[Long]] = _
  private[this] var mask = 0
  private[this] var count = 0
  private[this] var total = 0L

  /** A key that is a word, as a row. */
  private[this] val wordKey = new Array[Long](2)

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
    total = 0L
    setCells(FirstCells)
    Arrays.fill(free, None)
  }

  /** Makes `result` the one of a pane, which is that of no rows when the pane is new. It may be changed until the next
    * call.
    *
    * @param paneNumber
    *   the pane's number
    */
  def point(result: UnsafeRow, key: UnsafeRow, paneNumber: Long): Unit =
    pointIn(find(key, PaneBlock.blockOf(paneNumber)), result, paneNumber)

  /** The same for a key of one column of at most eight bytes, which is compared without a row of it. A key that is
    * given in both ways has a result in each.
    *
    * @param word
    *   the column as [[KeyWord]] has it; 0 where it is NULL
    */
  def point(result: UnsafeRow, isNull: Boolean, word: Long, paneNumber: Long): Unit =
    pointIn(
      find(if (isNull) NullKey else WordKey, word, PaneBlock.blockOf(paneNumber)),
      result,
      paneNumber
    )

  private[this] def pointIn(cell: Int, result: UnsafeRow, paneNumber: Long): Unit = {
    val array = cells(cell >>> CellBits)
    val at = offsetOf(cell)
    val bit = PaneBlock.bitOf(paneNumber)
    val rank = bitCount(array(at + Bits) & (bit - 1))
    if ((array(at + Bits) & bit) == 0) insert(array, at, rank, bit)
    pointAt(result, resultsOf(array(at + Results)), rank * resultWords, resultBytes)
  }

  /** The first cell that is not free, of those from `from` on; below 0: there is none. */
  def cellFrom(from: Int): Int = {
    var cell = from
    while (cell <= mask && wordOf(cell, Results) == 0L) cell += 1
    if (cell <= mask) cell else None
  }

  /** Makes `key` the key of a cell, until the next call. */
  def pointKey(key: UnsafeRow, cell: Int): Unit = {
    val word = wordOf(cell, Key)
    val kind = wordOf(cell, Results) & KindMask
    if (kind == RowKey)
      pointAt(key, word.toInt, 1, arrayOf(word.toInt)(word.toInt & OffsetMask).toInt)
    else {
      wordKey(0) = if (kind == NullKey) 1L else 0L
      wordKey(1) = word
      key.pointTo(wordKey, Platform.LONG_ARRAY_OFFSET, 8 * wordKey.length)
    }
  }

  def block(cell: Int): Long = wordOf(cell, Block)

  /** The panes of a cell as [[PaneBlock]] has them. */
  def panes(cell: Int): Array[Byte] = {
    val bits = wordOf(cell, Bits)
    val results = resultsOf(wordOf(cell, Results))
    val made = new Array[Byte](8 + bitCount(bits) * resultBytes)
    Platform.putLong(made, Platform.BYTE_ARRAY_OFFSET, bits)
    Platform.copyMemory(
      arrayOf(results),
      byteOf(results & OffsetMask),
      made,
      Platform.BYTE_ARRAY_OFFSET + 8L,
      made.length - 8L
    )
    made
  }

  private[this] def wordOf(cell: Int, word: Int): Long =
    cells(cell >>> CellBits)(offsetOf(cell) + word)

  private[this] def arrayOf(address: Int): Array[Long] = arrays(address >>> OffsetBits)

  private[this] def pointAt(row: UnsafeRow, address: Int, word: Int, size: Int): Unit =
    row.pointTo(arrayOf(address), byteOf((address & OffsetMask) + word), size)

  /** The cell of a key that is a word. */
  private[this] def find(kind: Long, word: Long, block: Long): Int = {
    var cell = hashOf(word + kind, block) & mask
    while (!isFree(cell) && !isAt(cell, kind, word, block)) cell = (cell + 1) & mask
    if (!isFree(cell)) cell
    else if (isFull) {
      grow()
      find(kind, word, block)
    } else add(cell, word, block, kind)
  }

  private[this] def find(key: UnsafeRow, block: Long): Int = {
    val hash = hashOf(key.hashCode.toLong, block)
    var cell = hash & mask
    while (!isFree(cell) && !isAt(cell, hash, key, block)) cell = (cell + 1) & mask
    if (!isFree(cell)) cell
    else if (isFull) {
      grow()
      find(key, block)
    } else add(cell, (hash.toLong << 32) | put(key).toLong, block, RowKey)
  }

  private[this] def isFree(cell: Int): Boolean = wordOf(cell, Results) == 0L

  private[this] def isAt(cell: Int, kind: Long, word: Long, block: Long): Boolean = {
    val array = cells(cell >>> CellBits)
    val at = offsetOf(cell)
    array(at + Key) == word && array(at + Block) == block && (array(
      at + Results
    ) & KindMask) == kind
  }

  private[this] def isAt(cell: Int, hash: Int, key: UnsafeRow, block: Long): Boolean = {
    val word = wordOf(cell, Key)
    val kind = wordOf(cell, Results) & KindMask
    (word >>> 32).toInt == hash && wordOf(cell, Block) == block && kind == RowKey && {
      val array = arrayOf(word.toInt)
      val at = word.toInt & OffsetMask
      array(at) == key.getSizeInBytes && ByteArrayMethods.arrayEquals(
        key.getBaseObject,
        key.getBaseOffset,
        array,
        byteOf(at + 1),
        key.getSizeInBytes.toLong
      )
    }
  }

  /** Keeps a key's bytes; their address. */
  private[this] def put(key: UnsafeRow): Int = {
    val address = allocate(1 + words(key.getSizeInBytes))
    val at = address & OffsetMask
    arrayOf(address)(at) = key.getSizeInBytes.toLong
    key.writeToMemory(arrayOf(address), byteOf(at + 1))
    address
  }

  private[this] def add(cell: Int, key: Long, block: Long, kind: Long): Int = {
    val array = cells(cell >>> CellBits)
    val at = offsetOf(cell)
    array(at + Key) = key
    array(at + Block) = block
    array(at + Results) = kind | roomFor(0)
    count += 1
    cell
  }

  private[this] def isFull: Boolean = 2 * count > mask

  private[this] def setCells(n: Int): Unit = {
    cells = Array.fill(math.max(1, n >>> CellBits))(new Array[Long](CellWords * math.min(
      n,
      1 << CellBits
    )))
    mask = n - 1
    total += 8L * CellWords * n
  }

  private[this] def grow(): Unit = {
    val old = cells
    total -= 8L * CellWords * (mask + 1)
    setCells(2 * (mask + 1))
    for (array <- old; at <- 0 until array.length by CellWords if array(at + Results) != 0L) {
      val kind = array(at + Results) & KindMask
      val hash =
        if (kind == RowKey) (array(at + Key) >>> 32).toInt
        else hashOf(array(at + Key) + kind, array(at + Block))
      var cell = hash & mask
      while (!isFree(cell)) cell = (cell + 1) & mask
      System.arraycopy(array, at, cells(cell >>> CellBits), offsetOf(cell), CellWords)
    }
  }

  /** Makes room for a pane's result among those of its block, and puts the one of no rows there. */
  private[this] def insert(cell: Array[Long], at: Int, rank: Int, bit: Long): Unit = {
    val held = bitCount(cell(at + Bits))
    val room = (cell(at + Results) & RoomMask).toInt
    val results = resultsOf(cell(at + Results))
    val from = arrayOf(results)
    val first = results & OffsetMask
    val behind = (held - rank) * resultWords
    if (held < (1 << room)) {
      val gap = first + rank * resultWords
      System.arraycopy(from, gap, from, gap + resultWords, behind)
      System.arraycopy(start, 0, from, gap, resultWords)
    } else {
      val made = roomFor(room + 1)
      val to = arrayOf(resultsOf(made))
      val begin = resultsOf(made) & OffsetMask
      val gap = begin + rank * resultWords
      System.arraycopy(from, first, to, begin, rank * resultWords)
      System.arraycopy(from, first + rank * resultWords, to, gap + resultWords, behind)
      System.arraycopy(start, 0, to, gap, resultWords)
      cell(at + Results) = (cell(at + Results) & KindMask) | made
      from(first) = free(room).toLong
      free(room) = results
    }
    cell(at + Bits) |= bit
  }

  /** The address of room for `1 << room` results, in the form in which a cell has it. */
  private[this] def roomFor(room: Int): Long = {
    val freed = free(room)
    val address =
      if (freed == None) allocate(math.max(1, resultWords << room))
      else {
        free(room) = arrayOf(freed)(freed & OffsetMask).toInt
        freed
      }
    (address.toLong << AddressShift) | room.toLong
  }

  private[this] def allocate(size: Int): Int = {
    if (last < 0 || arrays(last).length - used < size) {
      last += 1
      if (last == arrays.length) arrays = Arrays.copyOf(arrays, 2 * last)
      arrays(last) = new Array[Long](math.max(size, ArrayWords))
      used = 0
      total += 8L * arrays(last).length
    }
    val address = (last << OffsetBits) | used
    used += size
    address
  }
}

private[scalegate] object PaneTable {

  /** Words of a cell. */
  private val Key = 0
  private val Block = 1
  private val Bits = 2
  private val Results = 3
  private val CellWords = 4

  /** In the word of a cell's results: how much room they have, as a power of two; what the key is; their address. */
  private val RoomMask = 7L
  private val Rooms = 7
  private val RowKey = 1L << 3
  private val WordKey = 2L << 3
  private val NullKey = 3L << 3
  private val KindMask = 3L << 3
  private val AddressShift = 5

  /** Arrays stay below what the garbage collectors take for a huge object of its own. */
  private val OffsetBits = 15
  private val OffsetMask = (1 << OffsetBits) - 1
  private val ArrayWords = 1 << OffsetBits
  private val CellBits = 13

  private val FirstCells = 256
  private val None = -1

  private def words(bytes: Int): Int = (bytes + 7) / 8

  private def byteOf(word: Int): Long = Platform.LONG_ARRAY_OFFSET + 8L * word

  private def resultsOf(word: Long): Int = (word >>> AddressShift).toInt

  /** Where a cell begins in its array. */
  private def offsetOf(cell: Int): Int = (cell & ((1 << CellBits) - 1)) * CellWords

  private def hashOf(key: Long, block: Long): Int = {
    val mixed = (key * 0xbf58476d1ce4e5b9L ^ block) * 0x9e3779b97f4a7c15L
    (mixed ^ (mixed >>> 32)).toInt
  }
}

package io.scalegate.interval

import scala.reflect.ClassTag

import io.scalegate.stream.Side

/** What a [[KeyTable]] finds by its key. */
private[interval] trait Keyed {
  def key: Long
}

/** What one replica knows about one key that concerns it.
  *
  * @param members
  *   the replicas that take turns to store the key's tuples; the key's first replica in front
  */
final private[interval] class KeyEntry(val key: Long, var members: Array[Int]) extends Keyed {
  val r = new KeySide(KeyTable.spread(key, members.length))
  val s = new KeySide(KeyTable.spread(key, members.length))

  /** Whether the members share a turn that began with a plan, and which they must not forget. */
  var isPinned: Boolean = false

  def of(side: Side): KeySide = if (side eq Side.R) r else s

  /** Sets the members, whose turns begin anew. */
  def assign(replicas: Array[Int], pinned: Boolean): Unit = {
    members = replicas
    isPinned = pinned
    r.turn = 0
    s.turn = 0
  }
}

/** One stream's tuples of one key.
  *
  * @param turn
  *   whose turn it is to store the next one, as an index into the key's members
  */
final private[interval] class KeySide(var turn: Int) {

  /** The last place. */
  var last: Long = Long.MinValue

  /** This replica's part of the rows, null while there is none. */
  var rows: KeyBuffer = _

  /** The member whose turn it is; then it is the next one's. */
  def takeTurn(members: Array[Int]): Int = {
    val now = turn
    turn = if (now + 1 == members.length) 0 else now + 1
    members(now)
  }
}

/** What is known of keys: a hash table with open addressing. One thread at a time.
  *
  * @param newEntry
  *   makes the entry of a key
  */
final private[interval] class KeyTable[E <: Keyed: ClassTag](newEntry: Long => E) {
  private[this] var cells = new Array[E](KeyTable.FewCells)
  private[this] var count = 0

  def size: Int = count

  /** The key's entry, null if there is none. */
  def find(key: Long): E = find(key, KeyTable.hash(key))

  /** The key's entry, a new one if there is none. */
  def entry(key: Long): E = entry(key, KeyTable.hash(key))

  /** The same for a key whose hash is known. */
  def find(key: Long, hash: Long): E =
    if (count == 0) null.asInstanceOf[E] else cells(cellOf(key, hash))

  /** The same for a key whose hash is known. */
  def entry(key: Long, hash: Long): E = {
    val at = cellOf(key, hash)
    val present = cells(at)
    if (present != null) present
    else {
      val fresh = newEntry(key)
      cells(at) = fresh
      count += 1
      if (count * 2 > cells.length) rebuild(all, cells.length * 2)
      fresh
    }
  }

  /** Every entry, in no particular order. */
  def all: Array[E] = {
    val entries = new Array[E](count)
    var n = 0
    cells.foreach(e => if (e != null) { entries(n) = e; n += 1 })
    entries
  }

  /** Keeps these of its entries only. */
  def retain(entries: Array[E]): Unit =
    if (entries.length < count)
      rebuild(
        entries,
        math.max(KeyTable.FewCells, Integer.highestOneBit(entries.length * 4))
      )

  private[this] def cellOf(key: Long, hash: Long): Int = {
    var at = KeyTable.cell(hash, cells.length)
    while (cells(at) != null && cells(at).key != key) at = (at + 1) & (cells.length - 1)
    at
  }

  private[this] def rebuild(entries: Array[E], capacity: Int): Unit = {
    cells = new Array[E](capacity)
    entries.foreach(e => cells(cellOf(e.key, KeyTable.hash(e.key))) = e)
    count = entries.length
  }
}

private[interval] object KeyTable {
  private val FewCells = 64

  /** A number in `[0, n)` that depends on the key alone, evenly spread. */
  def spread(key: Long, n: Int): Int = share(hash(key), n)

  /** The same for a key whose hash is known: by its upper half, and without a division. */
  def share(hash: Long, n: Int): Int = (((hash >>> 32) * n) >>> 32).toInt

  /** Where to look for a key of this hash first, of a power of two of cells: by its lower half. */
  def cell(hash: Long, cells: Int): Int = hash.toInt & (cells - 1)

  /** Any bit of the key changes about half of the bits (the finalizer of MurmurHash3). */
  def hash(key: Long): Long = {
    val a = (key ^ (key >>> 33)) * 0xff51afd7ed558ccdL
    val b = (a ^ (a >>> 33)) * 0xc4ceb9fe1a85ec53L
    b ^ (b >>> 33)
  }
}

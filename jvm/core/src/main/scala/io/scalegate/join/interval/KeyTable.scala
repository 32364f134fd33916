package io.scalegate.join.interval

import io.scalegate.stream.Side

/** What one replica knows about one key. All replicas know the same but for the rows, which are
  * their own.
  *
  * @param members
  *   the replicas that take turns to store the key's tuples; the key's first replica in front
  */
final private[interval] class KeyEntry(val key: Long, var members: Array[Int]) {
  val r = new KeySide(KeyTable.spread(key, members.length))
  val s = new KeySide(KeyTable.spread(key, members.length))

  def side(side: Side): KeySide = if (side eq Side.R) r else s

  /** Counted tuples of both streams. */
  def count: Int = r.count + s.count
}

/** One stream's tuples of one key.
  *
  * @param turn
  *   whose turn it is to store the next one, as an index into the key's members
  */
final private[interval] class KeySide(private[this] var turn: Int) {

  /** Tuples of late, for the key's frequency. */
  var count: Int = 0

  /** The last place. */
  var last: Long = Long.MinValue

  /** This replica's part of the rows, null while there is none. */
  var rows: KeyBuffer = _

  /** The member whose turn it is; then it is the next one's. */
  def takeTurn(members: Array[Int]): Int = {
    val now = if (turn < members.length) turn else 0 // the degree may have changed
    turn = now + 1
    members(now)
  }
}

/** One replica's keys: a hash table with open addressing. One thread at a time.
  *
  * @param members
  *   the replicas of a key that is new
  */
final private[interval] class KeyTable(members: Long => Array[Int]) {
  private[this] var cells = new Array[KeyEntry](64)
  private[this] var count = 0

  def size: Int = count

  /** The key's entry, a new one if there is none. */
  def entry(key: Long): KeyEntry = {
    val at = find(key)
    val present = cells(at)
    if (present != null) present
    else {
      val fresh = new KeyEntry(key, members(key))
      cells(at) = fresh
      count += 1
      if (count * 2 > cells.length) rebuild(all, cells.length * 2)
      fresh
    }
  }

  /** Every entry. The order depends on what was asked of the table so far, which in all replicas
    * is the same: sums over it round alike.
    */
  def all: Array[KeyEntry] = cells.filter(_ != null)

  /** Keeps these of its entries only. */
  def retain(entries: Array[KeyEntry]): Unit =
    if (entries.length < count)
      rebuild(entries, math.max(64, Integer.highestOneBit(entries.length * 4)))

  private[this] def find(key: Long): Int = {
    val mask = cells.length - 1
    var at = KeyTable.mix(key).toInt & mask
    while (cells(at) != null && cells(at).key != key) at = (at + 1) & mask
    at
  }

  private[this] def rebuild(entries: Array[KeyEntry], capacity: Int): Unit = {
    cells = new Array[KeyEntry](capacity)
    entries.foreach(e => cells(find(e.key)) = e)
    count = entries.length
  }
}

private[interval] object KeyTable {

  /** A number in `[0, n)` that depends on the key alone, evenly spread. */
  def spread(key: Long, n: Int): Int = ((mix(key) >>> 32) % n).toInt

  /** Any bit of the key changes about half of the bits (the finalizer of MurmurHash3). */
  private def mix(key: Long): Long = {
    val a = (key ^ (key >>> 33)) * 0xff51afd7ed558ccdL
    val b = (a ^ (a >>> 33)) * 0xc4ceb9fe1a85ec53L
    b ^ (b >>> 33)
  }
}

package io.scalegate.interval

import io.scalegate.stream.{Side, StreamTuple}

/** How many tuples of each stream every key had of late: a hash table of primitive columns. The
  * order of the keys depends on what was counted alone, so replicas that count the same agree
  * on it. One thread at a time.
  */
final private[interval] class KeyCounts {
  private[this] var keys = new Array[Long](KeyCounts.FewCells)
  private[this] var ofR = new Array[Int](KeyCounts.FewCells)
  private[this] var ofS = new Array[Int](KeyCounts.FewCells)
  private[this] var used = 0

  /** Different keys. */
  def size: Int = used

  def count(t: StreamTuple): Unit =
    if (t.side eq Side.R) add(t.attrs(0), 1, 0) else add(t.attrs(0), 0, 1)

  /** Cells for keys, of which some are not used. */
  def cells: Int = keys.length

  def isUsed(cell: Int): Boolean = (ofR(cell) | ofS(cell)) != 0

  def key(cell: Int): Long = keys(cell)

  def countOfR(cell: Int): Int = ofR(cell)

  def countOfS(cell: Int): Int = ofS(cell)

  /** Halves every count; a key without any left is forgotten. */
  def age(): Unit = rebuild(keys.length, 1)

  private[this] def add(key: Long, r: Int, s: Int): Unit = {
    var at = KeyTable.cell(KeyTable.hash(key), keys.length)
    while (isUsed(at) && keys(at) != key) at = (at + 1) & (keys.length - 1)
    if (!isUsed(at)) {
      keys(at) = key
      used += 1
    }
    ofR(at) += r
    ofS(at) += s
    if (used * 2 > keys.length) rebuild(keys.length * 2, 0)
  }

  private[this] def rebuild(cells: Int, shift: Int): Unit = {
    val (oldKeys, oldR, oldS) = (keys, ofR, ofS)
    keys = new Array[Long](cells)
    ofR = new Array[Int](cells)
    ofS = new Array[Int](cells)
    used = 0
    var at = 0
    while (at < oldKeys.length) {
      val (r, s) = (oldR(at) >> shift, oldS(at) >> shift)
      if ((r | s) != 0) add(oldKeys(at), r, s)
      at += 1
    }
  }
}

private object KeyCounts {
  val FewCells = 64
}

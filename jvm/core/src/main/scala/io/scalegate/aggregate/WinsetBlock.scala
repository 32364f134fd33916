package io.scalegate.aggregate

import java.util.ArrayList
import java.util.concurrent.atomic.{AtomicInteger, AtomicReference, AtomicReferenceArray}

/** The winset of a window that overlaps others: one column of a block.
  *
  * @param index
  *   of the window in its block
  */
final private[aggregate] class OverlappingWinset[S <: AnyRef, Row <: AnyRef](
    val start: Long,
    val block: WinsetBlock[S, Row],
    val index: Int
)

/** The states of `width` windows next to each other, which overlap: a tuple lies in many of them,
  * and its key is looked up once for all.
  *
  * @param expected
  *   how many keys a lane may have
  */
final private[aggregate] class WinsetBlock[S <: AnyRef, Row <: AnyRef](
    rows: StateRows[_, S, Row],
    lanes: Int,
    width: Int,
    expected: Int
) {
  /*
   * For each lane (see Lanes) a table that has a row for each key:
   *
   *     windows     0   1   2   3   4   5   6   7
   *     lane 0  a [ s | s | s | s |   |   |   |   ]
   *             b [   |   | s | s | s | s | s |   ]
   *     lane 2  b [   |   |   |   | s | s | s | s ]
   *
   * Who holds the lane adds keys, makes states where there are none, and adds to them. The
   * consumer takes the windows one after the other, each when nobody adds to it any more, and
   * goes through all rows for it, while others may be adding keys and states for later windows.
   * It leaves no object of a state behind, and a block goes when no winset of it is open, with
   * all its keys: no key is held for longer than a block's time beyond its windows.
   *
   * Where a key can be in several lanes, the consumer joins its rows, each once.
   *
   * Memory order:
   *   tables, rows      release by who holds the lane, acquire by the consumer: it sees rows
   *                     made so far, those with a state in the window that it takes among them,
   *                     since their maker, or one after it in the lane, has promised.
   *   a row's states    plain. The consumer reads and clears those of complete windows, which
   *                     nobody else touches.
   */
  private[this] val tables = new AtomicReferenceArray[RowTable[Row]](lanes)

  // The consumer's.
  private[this] var join: RowJoin[S, Row] = _

  /** The lane's table; only for who is in the lane. */
  def table(lane: Int): RowTable[Row] = {
    var table = tables.getPlain(lane)
    if (table == null) {
      table = new RowTable[Row](lane, rows, width, expected)
      tables.setRelease(lane, table)
    }
    table
  }

  /** The most keys that a lane has. The consumer's. */
  def mostKeys: Int = (0 until lanes).map(tables.getAcquire).filter(_ != null).map(_.length).max

  /** Moves a complete window's states, by key, to the end of what was taken.
    *
    * @param function
    *   merges what lanes have of the same key, in the order of lanes; null: none have any
    */
  def take(index: Int, function: AggregateFunction[_, S, _], taken: TakenStates): Unit = {
    val present = new ArrayList[RowTable[Row]]
    var lane = 0
    while (lane < lanes) {
      val table = tables.getAcquire(lane)
      if (table != null) present.add(table)
      lane += 1
    }
    if (function == null || (present.size == 1 && join == null))
      present.forEach(takeFrom(_, index, taken))
    else {
      if (join == null) join = new RowJoin[S, Row](rows, lanes, present.get(0).length)
      present.forEach(join.add(_))
      present.forEach(join.take(_, index, function, taken))
    }
  }

  private[this] def takeFrom(table: RowTable[Row], index: Int, taken: TakenStates): Unit = {
    val n = table.length
    val all = table.all
    var i = 0
    while (i < n) {
      val state = rows.take(all(i).states, index)
      if (state != null) taken.add(all(i).key, state)
      i += 1
    }
  }
}

/** What a lane has of a key in a block: a state for each window that has one. */
final private[aggregate] class KeyRow[Row](val key: AnyRef, val lane: Int, val states: Row) {

  /** The consumer's: the same key's in a later lane, and whether there is none in an earlier. */
  var next: KeyRow[Row] = _
  var isFirst = true
}

/** A lane's rows, by key. */
final private[aggregate] class RowTable[Row <: AnyRef](
    val lane: Int,
    rows: StateRows[_, _, Row],
    width: Int,
    expected: Int
) extends KeyIndex[Row](expected) {
  private[this] val published = new AtomicInteger
  private[this] val list = new AtomicReference(new Array[KeyRow[Row]](math.max(4, expected)))

  /** A key's row, made if it is new; `hash` is [[StateTable.hash]] of it. For who is in the lane.
    */
  def row(key: AnyRef, hash: Int): Row = {
    val i = find(key, hash)
    val found = at(i)
    if (found != null) found
    else {
      val row = rows.create(width)
      put(i, key, row)
      publish(new KeyRow(key, lane, row))
      row
    }
  }

  /** How many rows can be read. The consumer's, like [[all]]. */
  def length: Int = published.getAcquire

  /** The rows, of which there are those that [[length]] has said before. */
  def all: Array[KeyRow[Row]] = list.getAcquire

  private[this] def publish(row: KeyRow[Row]): Unit = {
    val n = published.getPlain
    if (n == list.getPlain.length)
      list.setRelease(java.util.Arrays.copyOf(list.getPlain, 2 * n))
    list.getPlain()(n) = row
    published.setRelease(n + 1)
  }
}

/** The rows of all lanes in a block, those of a key chained in the order of lanes. */
final private class RowJoin[S <: AnyRef, Row <: AnyRef](
    rows: StateRows[_, S, Row],
    lanes: Int,
    expected: Int
) extends KeyIndex[KeyRow[Row]](expected) {
  private[this] val added = new Array[Int](lanes)

  /** Adds the rows that the table has more than when it was last added. */
  def add(table: RowTable[Row]): Unit = {
    val n = table.length
    val all = table.all
    var i = added(table.lane)
    while (i < n) {
      add(all(i))
      i += 1
    }
    added(table.lane) = n
  }

  /** Takes what was added, of the table's rows and what they are joined with: in the order in which
    * rows were made, and lie in memory.
    */
  def take(
      table: RowTable[Row],
      index: Int,
      function: AggregateFunction[_, S, _],
      taken: TakenStates
  ): Unit = {
    val n = added(table.lane)
    val all = table.all
    var i = 0
    while (i < n) {
      if (all(i).isFirst) {
        val state = merged(all(i), index, function)
        if (state != null) taken.add(all(i).key, state)
      }
      i += 1
    }
  }

  private[this] def merged(
      first: KeyRow[Row],
      index: Int,
      function: AggregateFunction[_, S, _]
  ): S = {
    var state = rows.take(first.states, index)
    var row = first.next
    while (row != null) {
      val other = rows.take(row.states, index)
      state =
        if (state == null) other
        else if (other == null) state
        else function.merge(state, other)
      row = row.next
    }
    state
  }

  private[this] def add(row: KeyRow[Row]): Unit = {
    val i = find(row.key, StateTable.hash(row.key))
    val first = at(i)
    if (first == null) put(i, row.key, row)
    else if (row.lane < first.lane) {
      row.next = first
      first.isFirst = false
      replace(i, row)
    } else {
      row.isFirst = false
      var before = first
      while (before.next != null && before.next.lane < row.lane) before = before.next
      row.next = before.next
      before.next = row
    }
  }
}

/** The keys and states of a winset that was taken. */
final private[aggregate] class TakenStates {
  private[this] var allKeys = new Array[AnyRef](TakenStates.Few)
  private[this] var allStates = new Array[AnyRef](TakenStates.Few)
  private[this] var count = 0

  def add(key: AnyRef, state: AnyRef): Unit = {
    if (count == allKeys.length) {
      allKeys = java.util.Arrays.copyOf(allKeys, 2 * count)
      allStates = java.util.Arrays.copyOf(allStates, 2 * count)
    }
    allKeys(count) = key
    allStates(count) = state
    count += 1
  }

  def keys: Array[AnyRef] = java.util.Arrays.copyOf(allKeys, count)
  def states: Array[AnyRef] = java.util.Arrays.copyOf(allStates, count)
}

private object TakenStates {
  private val Few = 16
}

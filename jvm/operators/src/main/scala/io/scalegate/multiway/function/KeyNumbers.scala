package io.scalegate.multiway.function

import java.util.concurrent.atomic.{AtomicInteger, AtomicReference}

/** Keys, numbered from 0 as they come: a hash table with open addressing. A null key is a key.
  *
  * One thread at a time numbers keys, while another may read them.
  *
  * @param expected
  *   how many keys there may be; a table for more grows
  */
private[scalegate] class KeyNumbers(expected: Int) {
  /*
   * A cell is one int, so that the table stays in a cache: in the low bits, as many as tell
   * places of the table apart, a key's number plus one, and in the others those of its hash. Where
   * a key lies depends on its hash's low bits, so hardly any key is compared with another.
   */
  private[this] var cells = new Array[Int](KeyNumbers.cellsFor(expected))
  private[this] val keys = new AddedList[AnyRef](expected)

  /** The number of a key, a new one if it is new; `hash` is [[StateTable.hash]] of it. */
  final def number(key: AnyRef, hash: Int): Int = {
    val now = cells
    val mask = now.length - 1
    var i = hash & mask
    while (now(i) != 0 && !isOf(now(i), mask, key, hash)) i = (i + 1) & mask
    if (now(i) != 0) (now(i) & mask) - 1 else add(key, hash, i)
  }

  /** How many keys can be read. The reader's, like [[all]]. */
  final def length: Int = keys.length

  /** The keys, by number, of which there are those that [[length]] has said before. */
  final def all: Array[AnyRef] = keys.all

  private[this] def isOf(cell: Int, mask: Int, key: AnyRef, hash: Int): Boolean =
    ((cell ^ hash) & ~mask) == 0 && {
      val other = keys((cell & mask) - 1)
      (other eq key) || other == key
    }

  private[this] def add(key: AnyRef, hash: Int, i: Int): Int = {
    val n = keys.size
    keys.add(key)
    cells(i) = cell(n, hash, cells.length - 1)
    if (2 * keys.size > cells.length) grow()
    n
  }

  private[this] def cell(number: Int, hash: Int, mask: Int): Int = (hash & ~mask) | (number + 1)

  private[this] def grow(): Unit = {
    val bigger = new Array[Int](2 * cells.length)
    val mask = bigger.length - 1
    var n = 0
    while (n < keys.size) {
      val hash = StateTable.hash(keys(n))
      var i = hash & mask
      while (bigger(i) != 0) i = (i + 1) & mask
      bigger(i) = cell(n, hash, mask)
      n += 1
    }
    cells = bigger
  }
}

private[scalegate] object KeyNumbers {
  private val FewKeys = 4
  private val ManyKeys = 1 << 24

  /** Half of them free. */
  private def cellsFor(keys: Int): Int =
    4 * Integer.highestOneBit(math.max(FewKeys, math.min(keys, ManyKeys)) - 1)
}

/** A list that one thread at a time adds to, while another reads it. */
final private[scalegate] class AddedList[A <: AnyRef](expected: Int) {
  /*
   * Memory order: an element is written once, and then published, as a longer array is before it:
   * both release by who adds, acquire by the reader.
   */
  private[this] var elements = new Array[AnyRef](math.max(AddedList.Few, expected))
  private[this] var count = 0
  private[this] val publishedCount = new AtomicInteger
  private[this] val published = new AtomicReference(elements)

  def add(a: A): Unit = {
    if (count == elements.length) {
      elements = java.util.Arrays.copyOf(elements, 2 * count)
      published.setRelease(elements)
    }
    elements(count) = a
    count += 1
    publishedCount.setRelease(count)
  }

  /** How many were added. For who adds, like [[apply]]. */
  def size: Int = count

  def apply(i: Int): A = elements(i).asInstanceOf[A]

  /** How many can be read. The reader's, like [[all]]. */
  def length: Int = publishedCount.getAcquire

  /** The elements, of which there are those that [[length]] has said before. */
  def all: Array[AnyRef] = published.getAcquire
}

private[scalegate] object AddedList {
  private val Few = 4
}

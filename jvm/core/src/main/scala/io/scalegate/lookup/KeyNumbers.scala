package io.scalegate.lookup

import java.util.Arrays

/** Numbers keys in the order in which they first come, from zero on. Built by one thread; then any number may read it,
  * if it was published to them safely.
  *
  * An open table with linear probing, at most half full.
  */
final private[scalegate] class KeyNumbers {
  private[this] var keys = new Array[Long](KeyNumbers.FewSlots)
  private[this] var numbers = Array.fill(KeyNumbers.FewSlots)(-1)
  private[this] var count = 0

  def size: Int = count

  /** The number of a key; negative if it has none. */
  def numberOf(key: Long): Int = numbers(slotOf(key))

  /** The number of a key, which it is given if it has none. */
  def add(key: Long): Int = {
    val slot = slotOf(key)
    if (numbers(slot) >= 0) numbers(slot)
    else {
      keys(slot) = key
      numbers(slot) = count
      count += 1
      if (2 * count > keys.length) grow()
      count - 1
    }
  }

  private[this] def slotOf(key: Long): Int = {
    val mask = keys.length - 1
    var slot = KeyNumbers.spread(key) & mask
    while (numbers(slot) >= 0 && keys(slot) != key) slot = (slot + 1) & mask
    slot
  }

  private[this] def grow(): Unit = {
    val (oldKeys, oldNumbers) = (keys, numbers)
    keys = new Array[Long](2 * oldKeys.length)
    numbers = new Array[Int](2 * oldKeys.length)
    Arrays.fill(numbers, -1)
    var i = 0
    while (i < oldKeys.length) {
      if (oldNumbers(i) >= 0) {
        val slot = slotOf(oldKeys(i))
        keys(slot) = oldKeys(i)
        numbers(slot) = oldNumbers(i)
      }
      i += 1
    }
  }
}

private object KeyNumbers {
  private val FewSlots = 16

  /** The high bits of a product with an odd number, in which all of the key's bits count (Knuth, vol. 3, 6.4). */
  private def spread(key: Long): Int = {
    val product = key * 0x9e3779b97f4a7c15L
    (product ^ (product >>> 32)).toInt >>> 1
  }
}

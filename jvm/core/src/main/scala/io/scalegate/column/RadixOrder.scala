package io.scalegate.column

import java.util.Arrays
import java.util.function.IntBinaryOperator

/** Orders row numbers by 64-bit keys, without an object per row: a stable radix sort from the lowest byte up,
  * which passes over the bytes that all keys share. Time is in proportion to the rows. A few rows are sorted by insertion.
  */
private[scalegate] object RadixOrder {
  private[this] val Digits = 8
  private[this] val Values = 256

  /** To sort so few by insertion takes no object for each, and no counts of bytes. */
  private[this] val Few = 32

  /** The row numbers in `order`, by rising `keys(row)`; rows of one key keep their order. The array given may
    * be used for the answer.
    */
  def by(keys: Array[Long], order: Array[Int]): Array[Int] =
    if (order.length > Few) byDigits(keys, order)
    else {
      insert(order, 0, order.length, (a, b) => java.lang.Long.compare(keys(a), keys(b)))
      order
    }

  private[this] def byDigits(keys: Array[Long], order: Array[Int]): Array[Int] = {
    val counts = countDigits(keys, order)
    var from = order
    var to = new Array[Int](order.length)
    var digit = 0
    while (digit < Digits) {
      if (counts(digit)(value(keys(order(0)), digit)) < order.length) {
        startEach(counts(digit))
        scatter(keys, digit, counts(digit), from, to)
        val sorted = to
        to = from
        from = sorted
      }
      digit += 1
    }
    from
  }

  /** Where in the order each run of rows of one key starts, and where the last one ends. */
  def runs(keys: Array[Long], order: Array[Int]): Array[Int] = {
    var starts = new Array[Int](16)
    var count = 0
    var i = 0
    while (i < order.length) {
      if (i == 0 || keys(order(i)) != keys(order(i - 1))) {
        if (count + 1 == starts.length) starts = Arrays.copyOf(starts, 2 * starts.length)
        starts(count) = i
        count += 1
      }
      i += 1
    }
    starts(count) = order.length
    Arrays.copyOf(starts, count + 1)
  }

  /** The keys of rows in this order. */
  def inOrder(keys: Array[Long], order: Array[Int]): Array[Long] = {
    val sorted = new Array[Long](order.length)
    var i = 0
    while (i < order.length) {
      sorted(i) = keys(order(i))
      i += 1
    }
    sorted
  }

  /** Puts each run of rows that are alike, in an order in which these are neighbours, in the order of their own. */
  def settle(
      order: Array[Int],
      alike: (Int, Int) => Boolean,
      compare: IntBinaryOperator
  ): Unit = {
    var start = 0
    while (start < order.length) {
      var end = start + 1
      while (end < order.length && alike(order(start), order(end))) end += 1
      if (end - start > Few) merge(order, start, end, compare)
      else if (end - start > 1) insert(order, start, end, compare)
      start = end
    }
  }

  private[this] def insert(
      order: Array[Int],
      start: Int,
      end: Int,
      compare: IntBinaryOperator
  ): Unit = {
    var next = start + 1
    while (next < end) {
      val row = order(next)
      var at = next
      while (at > start && compare.applyAsInt(order(at - 1), row) > 0) {
        order(at) = order(at - 1)
        at -= 1
      }
      order(at) = row
      next += 1
    }
  }

  private[this] def merge(
      order: Array[Int],
      start: Int,
      end: Int,
      compare: IntBinaryOperator
  ): Unit = {
    val run = Array.tabulate(end - start)(i => Integer.valueOf(order(start + i)))
    Arrays.sort(run, (a: Integer, b: Integer) => compare.applyAsInt(a, b))
    run.indices.foreach(i => order(start + i) = run(i))
  }

  /** The value of a key's byte, in an order that puts negative keys first. */
  private[this] def value(key: Long, digit: Int): Int =
    ((key ^ Long.MinValue) >>> (digit * 8)).toInt & 0xff

  private[this] def countDigits(keys: Array[Long], order: Array[Int]): Array[Array[Int]] = {
    val counts = Array.ofDim[Int](Digits, Values)
    var i = 0
    while (i < order.length) {
      val key = keys(order(i))
      var digit = 0
      while (digit < Digits) {
        counts(digit)(value(key, digit)) += 1
        digit += 1
      }
      i += 1
    }
    counts
  }

  /** Makes of how many rows have each value where these start. */
  private[this] def startEach(counts: Array[Int]): Unit = {
    var start = 0
    var v = 0
    while (v < counts.length) {
      val count = counts(v)
      counts(v) = start
      start += count
      v += 1
    }
  }

  private[this] def scatter(
      keys: Array[Long],
      digit: Int,
      next: Array[Int],
      from: Array[Int],
      to: Array[Int]
  ): Unit = {
    var i = 0
    while (i < from.length) {
      val row = from(i)
      val v = value(keys(row), digit)
      to(next(v)) = row
      next(v) += 1
      i += 1
    }
  }
}

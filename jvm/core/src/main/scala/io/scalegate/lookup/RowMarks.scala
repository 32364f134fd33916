package io.scalegate.lookup

import java.util.Arrays

/** A set of row numbers, in pages. A copy shares the pages of its original until it changes them: to add a few rows to a
  * large set takes two small arrays and a page for each that they lie in.
  *
  * One thread adds rows. After a copy was made of it, or another thread was given it, nobody does; any number of threads read
  * it then that it was published to safely.
  */
final class RowMarks private (shared: Array[Array[Long]]) {
  import RowMarks._

  private[this] var pages = shared // null where no row was added
  private[this] var isOwn = new Array[Boolean](shared.length)

  def this() = this(Array.empty)

  def contains(row: Int): Boolean = {
    val page = row >>> PageBits
    page < pages.length && pages(page) != null && (pages(page)(wordOf(row)) & (1L << row)) != 0
  }

  def add(row: Int): Unit = {
    val page = row >>> PageBits
    if (page >= pages.length) grow(math.max(page + 1, 2 * pages.length))
    if (!isOwn(page)) own(page)
    pages(page)(wordOf(row)) |= 1L << row
  }

  def copy(): RowMarks = new RowMarks(pages.clone())

  private[this] def own(page: Int): Unit = {
    pages(page) = if (pages(page) == null) new Array[Long](Words) else pages(page).clone()
    isOwn(page) = true
  }

  private[this] def grow(length: Int): Unit = {
    pages = Arrays.copyOf(pages, length)
    isOwn = Arrays.copyOf(isOwn, length)
  }
}

private object RowMarks {

  /** Of a row's number, the bits that are its place in a page. */
  private val PageBits = 11
  private val Words = (1 << PageBits) / java.lang.Long.SIZE

  private def wordOf(row: Int): Int = (row >>> 6) & (Words - 1)
}

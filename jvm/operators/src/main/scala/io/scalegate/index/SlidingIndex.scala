package io.scalegate.index

/** An ordered index over one attribute of a sliding window: finds the window's tuples whose key
  * lies in a range (PIM-Tree §2.2). It stores a key, a position and a 32-bit value for each tuple
  * and nothing of the tuple itself. The paper's has keys and positions only; the value is for joins
  * with a second band, which is then tested where the search is, and not on rows far apart.
  *
  * Keys are the core's sortable integers (see `io.scalegate.stream.SortableKey`); any `Long` is
  * a key, and any number of tuples may share one. A position names a tuple of the window and is
  * also its age: positions are unique, are inserted in rising order, and a window slides by a
  * lower bound on them. They need not be consecutive.
  *
  * One thread at a time, unless the implementation is a [[ConcurrentSlidingIndex]].
  */
trait SlidingIndex {

  /** The structure and its parameters, for metrics and messages. */
  def name: String

  /** Adds a tuple.
    *
    * @param value
    *   an attribute that searches may restrict beside the key, or what they agree on in its place
    * @param position
    *   above every position inserted before
    */
  def insert(key: Long, value: Int, position: Long): Unit

  /** Adds a tuple with the value 0, for searches that restrict the key alone. */
  final def insert(key: Long, position: Long): Unit = insert(key, 0, position)

  /** Appends to `out` the position of every tuple in the window whose key, value and position lie in
    * the query's ranges, each once, in no particular order. Allocates nothing once `out` is large
    * enough.
    */
  def search(query: RangeQuery, out: PositionBuffer): Unit

  /** Appends to `out` the position of every tuple in the window whose key lies in `[lo, hi]` and whose
    * position lies in `[first, last]`. For who searches now and then: it makes a query.
    */
  final def search(lo: Long, hi: Long, first: Long, last: Long, out: PositionBuffer): Unit =
    search(new RangeQuery().keys(lo, hi).positions(first, last), out)

  /** The same, wherever the tuples stand. */
  final def search(lo: Long, hi: Long, out: PositionBuffer): Unit =
    search(new RangeQuery().keys(lo, hi), out)

  /** Slides the window: from now on no tuple at a position below `earliest` is reported. Its
    * memory is free at once or after some further inserts, as the implementation says. A bound
    * below an earlier one changes nothing.
    */
  def expireBefore(earliest: Long): Unit

  /** The tuples that are held: those in the window, and those that have expired and still take
    * memory.
    */
  def size: Int

  /** How often a mutable part was merged into an immutable one; 0 for an index without such parts. */
  def merges: Long = 0L

  /** The bytes that the index's arrays and objects take, reserves included. */
  def memoryBytes: Long

  /** Forgets every tuple and every bound on positions; keeps memory for reuse. */
  def clear(): Unit
}

package io.scalegate.multiway.function

/** States kept by differences. */
abstract private[scalegate] class DifferenceLayout[-T, L <: DifferenceLane[T]]
    extends StateLayout[T, L] {

  /** Four times as many windows as hold a time: an empty one costs little. */
  final def blockShift(overlap: Long): Int =
    math.min(StateLayout.shiftFor(overlap) + 2, DifferenceLayout.WidestShift)
}

private[scalegate] object DifferenceLayout {
  private val WidestShift = 10
}

/** A lane's states, kept as what sets a window's apart from those of the window before: of a tuple,
  * in however many windows it lies, its first one says that it has come, and the one behind its
  * last that it has gone. The consumer adds up.
  */
abstract private[scalegate] class DifferenceLane[-T](windows: Int) extends LaneStates[T] {

  /** Of all tuples, passed over or not. A window has the keys of which it has tuples. */
  final val tuples = new DifferenceColumns(windows)
}

/** How many there are of each key in each window. */
final private[scalegate] class DifferenceColumns(windows: Int) {
  /*
   * What is kept is by how much a window's number differs from that of the window before: two
   * numbers change with a tuple, in however many windows it lies, and the consumer adds up.
   *
   *     windows            0    1    2    3    4    5
   *     a tuple in 1 - 3   .   +1    .    .   -1    .
   *     a tuple in 2 - 4   .    .   +1    .    .   -1
   *     sums               0    1    2    2    1    0
   *
   * A window has a column, with an int for each key. Tuples that come at about the same time
   * change the same two columns, which a cache can hold, and the consumer goes through a column
   * from one end to the other. What an int cannot hold is carried into columns of higher digits.
   *
   * Memory order: plain. A window's column is changed for tuples that lie in the window or in the
   * one before. So when the window is complete nobody changes its column any more, and what it is
   * was published with the promises of those tuples. `higher` may be set while the consumer
   * reads it. If a complete window has higher digits, the consumer sees them; else what it may
   * see early, which is made of final fields, has no column there.
   */
  private[this] val columns = new Array[Array[Int]](windows)
  private[this] var higher: DifferenceColumns = _

  /** One more of the key in the windows from `from` until `until`. */
  def addToEach(key: Int, from: Int, until: Int): Unit = {
    change(key, from, 1)
    if (until < windows) change(key, until, -1)
  }

  /** Changes the key's number by that in the window and all behind. */
  def change(key: Int, window: Int, by: Int): Unit = {
    val found = columns(window)
    val column = if (found != null && key < found.length) found else lengthened(key, window)
    val old = column(key)
    val sum = old + by
    column(key) = sum
    if (((old ^ sum) & (by ^ sum)) < 0) carry(key, window, if (by > 0) 1 else -1)
  }

  /** Adds a complete window's differences to sums, and drops them. The consumer's.
    *
    * @param count
    *   how many keys there are to look at
    * @param numbers
    *   where the sums of the keys are; null: each at the key's own number
    */
  def moveTo(sums: Array[Long], window: Int, count: Int, numbers: Array[Int]): Unit =
    moveTo(sums, 0, window, count, numbers)

  /** Whether there is anything for a complete window. The consumer's. */
  def has(window: Int): Boolean = columns(window) != null

  private def moveTo(
      sums: Array[Long],
      digits: Int,
      window: Int,
      count: Int,
      numbers: Array[Int]
  ): Unit = if (has(window)) {
    val column = columns(window)
    val n = math.min(count, column.length)
    var i = 0
    if (numbers == null)
      while (i < n) {
        sums(i) += column(i).toLong << digits
        i += 1
      }
    else
      while (i < n) {
        sums(numbers(i)) += column(i).toLong << digits
        i += 1
      }
    columns(window) = null
    val above = higher // once: it may be set meanwhile
    if (above != null) above.moveTo(sums, digits + Integer.SIZE, window, count, numbers)
  }

  private[this] def lengthened(key: Int, window: Int): Array[Int] = {
    val length = DifferenceColumns.lengthFor(key)
    val old = columns(window)
    columns(window) =
      if (old == null) new Array[Int](length) else java.util.Arrays.copyOf(old, length)
    columns(window)
  }

  private[this] def carry(key: Int, window: Int, by: Int): Unit = {
    if (higher == null) higher = new DifferenceColumns(windows)
    higher.change(key, window, by)
  }
}

private[scalegate] object DifferenceColumns {
  private val Few = 16

  /** Of a column that has the key: it is as long as the latest of its keys needs. Keys are
    * numbered as they come, so those of most tuples have low numbers.
    */
  def lengthFor(key: Int): Int = 2 * Integer.highestOneBit(math.max(Few - 1, key))
}

/** What a window has of each key, added up from the differences of all windows until then. */
abstract private[scalegate] class AddedUpWindows[-L <: DifferenceLane[_]]
    extends WindowStates[L] {
  private[this] var next = 0 // the first window that was not added
  private[this] var window = 0
  private[this] var keys = 0
  private[this] var tuples = new Array[Long](0)

  final def begin(window: Int, keys: Int): Unit = {
    this.window = window
    this.keys = keys
    if (tuples.length < keys) tuples = java.util.Arrays.copyOf(tuples, 2 * keys)
    reserve()
  }

  /** With the differences of windows without tuples, which nobody takes, in between. */
  final def add(lane: L, count: Int, numbers: Array[Int]): Unit = {
    var i = next
    while (i <= window) {
      lane.tuples.moveTo(tuples, i, count, numbers)
      addDifferences(lane, i, count, numbers)
      i += 1
    }
  }

  final def end(allKeys: Array[AnyRef], taken: TakenResults): Unit = {
    next = window + 1
    taken.expect(present)
    var i = 0
    while (i < keys) {
      if (tuples(i) > 0) taken.add(allKeys(i), result(i, tuples(i))) else forget(i)
      i += 1
    }
  }

  /** For how many keys there is room. */
  final protected def room: Int = tuples.length

  /** Makes as much room in what else is kept for each key. */
  protected def reserve(): Unit

  /** Adds those of a lane's differences that stand in the window; as [[add]] is told. */
  protected def addDifferences(lane: L, window: Int, count: Int, numbers: Array[Int]): Unit

  /** Of a key and its tuples in the window, passed over or not. */
  protected def result(number: Int, tuples: Long): AnyRef

  /** The key has no tuples in the window. */
  protected def forget(number: Int): Unit = ()

  private[this] def present: Int = {
    var found = 0
    var i = 0
    while (i < keys) {
      if (tuples(i) > 0) found += 1
      i += 1
    }
    found
  }
}

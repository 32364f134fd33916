package io.scalegate.multiway.function

/** Counts, as numbers: results are made of them without a [[Counted]]. */
private[scalegate] object CountLayout extends DifferenceLayout[Any, CountColumns] {
  def lane(windows: Int, expected: Int): CountColumns = new CountColumns(windows)

  def windows(): CountWindows = new CountWindows
}

/** A lane's counts: of all tuples, and of those that a function passes over. */
final private[scalegate] class CountColumns(windows: Int) extends DifferenceLane[Any](windows) {
  val passed = new DifferenceColumns(windows)

  def addToEach(key: Int, from: Int, until: Int, tuple: Any): Unit =
    tuples.addToEach(key, from, until)

  def touchEach(key: Int, from: Int, until: Int): Unit = {
    tuples.addToEach(key, from, until)
    passed.addToEach(key, from, until)
  }
}

/** Counts of a window by key, added up. */
final private[scalegate] class CountWindows extends AddedUpWindows[CountColumns] {
  private[this] var passed: Array[Long] = _ // null: none ever were

  protected def reserve(): Unit =
    if (passed != null && passed.length < room) passed = java.util.Arrays.copyOf(passed, room)

  protected def addDifferences(
      lane: CountColumns,
      window: Int,
      count: Int,
      numbers: Array[Int]
  ): Unit =
    if (lane.passed.has(window)) {
      if (passed == null) passed = new Array[Long](room)
      lane.passed.moveTo(passed, window, count, numbers)
    }

  protected def result(number: Int, tuples: Long): AnyRef =
    java.lang.Long.valueOf(if (passed == null) tuples else tuples - passed(number))
}

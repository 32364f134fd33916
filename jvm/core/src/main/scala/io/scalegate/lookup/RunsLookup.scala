package io.scalegate.lookup

/** Looks rows up in the runs of a window, one probe at a time. One thread. */
final class RunsLookup[A] private[scalegate] (
    layout: WindowRuns.Layout,
    runs: Array[WindowRun[A]]
) {
  private[this] val ranges = new BandRanges(layout.bands, layout.side.opposite)
  private[this] val lookups = runs.map(run => new BandLookup(run.index, ranges))
  private[this] var at = runs.length
  private[this] var least = 0L
  private[this] var greatest = 0L
  private[this] var found = -1

  /** Begins the search for the rows that a row of the opposite side with these attributes may match. The array
    * may be used again afterwards.
    */
  def start(probe: Array[Long]): Unit =
    if (ranges.read(probe)) {
      least = ranges.least(layout.time)
      greatest = ranges.greatest(layout.time)
      at = -1
      open()
    } else at = runs.length

  /** Moves to the next row found, each once, in no promised order; false when there is none. */
  def next(): Boolean = {
    while (at < runs.length && !advance()) open()
    at < runs.length
  }

  /** Moves to the next rows found, in one run, and gives how many they are; 0 when there are none. For a probe either
    * this is called, or [[next]].
    */
  def nextSome(): Int = {
    var some = 0
    while (at < runs.length && some == 0) {
      some = lookups(at).nextSome()
      if (some == 0) open()
    }
    some
  }

  /** The number in its run of the k-th of the rows found together. */
  def number(k: Int): Int = lookups(at).number(k)

  /** Whether the numbers of the rows found together follow one another. */
  def isRange: Boolean = lookups(at).isRange

  /** The number, among those searched, of the run that the row found lies in. */
  def run: Int = at

  /** The row's number in its run. */
  def number: Int = found

  /** The run that the row found lies in. */
  def current: WindowRun[A] = runs(at)

  /** Rows that were tested against a probe so far. */
  def comparisons: Long = lookups.iterator.map(_.comparisons).sum

  private[this] def advance(): Boolean = {
    found = lookups(at).next()
    found >= 0
  }

  /** Begins the search in the next run whose times are within reach. */
  private[this] def open(): Unit = {
    at += 1
    while (at < runs.length && (runs(at).latest < least || runs(at).earliest > greatest)) at += 1
    if (at < runs.length) lookups(at).open()
  }
}

package io.scalegate.lookup

import io.scalegate.band.Band
import io.scalegate.stream.Side

/** One side's window of a join that goes on, in versions that do not change: to add rows makes another version,
  * which shares what it can with the one before. A task that fails, or runs twice, changes nothing that another sees.
  *
  * The rows lie in indexed runs. A run that is added is merged with those before it that are no larger, as the
  * levels of a log-structured merge tree are (O'Neil et al., The Log-Structured Merge-Tree), so n rows that come a few
  * at a time lie in about log n runs, and each is merged about log n times. Rows that have expired go when their run is
  * merged, when most of it has, or when all of it has.
  */
final class WindowRuns[A] private (
    layout: WindowRuns.Layout,
    keeper: RunRows[A],
    val runs: Vector[WindowRun[A]]
) {
  import WindowRuns._

  /** The rows held, of which some may have expired. */
  def size: Long = runs.iterator.map(_.size.toLong).sum

  /** About how many the attributes take: each as it was given, in the index's columns, and in its order. What is kept
    * of the rows beside them is not counted.
    */
  def bytes: Long = size * layout.bands.length * 3 * java.lang.Long.BYTES

  /** Rows that came together, as a run that is not part of the window yet.
    *
    * @param keys
    *   the i-th array holds the i-th attribute of every row; [[BandIndex.order]] of the run's index tells which row has
    *   which number
    */
  def runOf(keys: IndexedSeq[Array[Long]], rows: A): WindowRun[A] =
    build(keys, Vector(rows), Array.tabulate(keys.head.length)(_.toLong))

  /** The window with one more run, and without rows that are all expired.
    *
    * @param expired
    *   rows whose time is not above this are of no use any more
    */
  def add(run: WindowRun[A], expired: Long): WindowRuns[A] = {
    val alive = without(expired).runs
    if (run.size == 0) version(alive)
    else {
      var sum = run.sizeAfter(expired)
      var first = alive.length
      while (first > 0 && alive(first - 1).sizeAfter(expired) <= math.max(sum, FewRows)) {
        first -= 1
        sum += alive(first).sizeAfter(expired)
      }
      val (larger, others) = alive.splitAt(first)
      val merged = if (others.isEmpty) run else merge(others :+ run, expired)
      version(larger ++ Vector(merged).filter(_.size > 0))
    }
  }

  /** The window without the runs that are all expired, those that mostly are made smaller. */
  def without(expired: Long): WindowRuns[A] = {
    val alive = runs.filter(_.latest > expired).map { run =>
      if (run.sizeAfter(expired) < run.size / 2) merge(Vector(run), expired) else run
    }
    version(alive.filter(_.size > 0))
  }

  /** The same window, other things kept of its rows. */
  def withRows(rowsOf: WindowRun[A] => A): WindowRuns[A] = version(runs.map { run =>
    val rows = rowsOf(run)
    if (rows.asInstanceOf[AnyRef] eq run.rows.asInstanceOf[AnyRef]) run else run.withRows(rows)
  })

  /** A lookup for one thread in these runs and, if they are given, in others of the same window. */
  def lookup(more: WindowRun[A]*): RunsLookup[A] = new RunsLookup(layout, (runs ++ more).toArray)

  private[this] def version(changed: Vector[WindowRun[A]]) =
    new WindowRuns(layout, keeper, changed)

  private[this] def merge(from: Vector[WindowRun[A]], expired: Long): WindowRun[A] = {
    val kept = Array.newBuilder[Long]
    for (i <- from.indices) {
      val run = from(i)
      var n = 0
      while (n < run.size) {
        if (run.timeOf(n) > expired && keeper.isKept(run.rows, n)) kept += rowOf(i, n)
        n += 1
      }
    }
    val all = kept.result()
    build(layout.bands.indices.map(keysAt(from, all, _)), from.map(_.rows), all)
  }

  private[this] def keysAt(
      from: Vector[WindowRun[A]],
      kept: Array[Long],
      attribute: Int
  ): Array[Long] = {
    val columns = from.map(_.keys(attribute)).toArray
    val keys = new Array[Long](kept.length)
    var i = 0
    while (i < keys.length) {
      keys(i) = columns((kept(i) >>> 32).toInt)(kept(i).toInt)
      i += 1
    }
    keys
  }

  private[this] def build(
      keys: IndexedSeq[Array[Long]],
      from: IndexedSeq[A],
      kept: Array[Long]
  ): WindowRun[A] = {
    val index = BandIndex(layout.bands, layout.side, keys)
    val inOrder = keys.map(ordered(_, index.order))
    new WindowRun(
      index,
      inOrder,
      keeper.gather(from, ordered(kept, index.order)),
      new RunTimes(inOrder(layout.time))
    )
  }

  private[this] def ordered(values: Array[Long], order: Array[Int]): Array[Long] = {
    val numbers = new Array[Long](order.length)
    var n = 0
    while (n < order.length) {
      numbers(n) = values(order(n))
      n += 1
    }
    numbers
  }
}

object WindowRuns {

  /** @param bands
    *   `s.attribute(i) − r.attribute(i)` lies in the i-th
    * @param side
    *   whose rows these are
    * @param time
    *   which of the attributes says when a row expires
    */
  final private[scalegate] case class Layout(bands: IndexedSeq[Band], side: Side, time: Int)

  /** A window without rows. */
  def empty[A](
      bands: IndexedSeq[Band],
      side: Side,
      time: Int,
      keeper: RunRows[A]
  ): WindowRuns[A] = {
    require(
      bands.indices.contains(time),
      s"the time must be one of the ${bands.length} bounded attributes, not number $time"
    )
    new WindowRuns(Layout(bands, side, time), keeper, Vector.empty)
  }

  private def rowOf(run: Int, number: Int): Long = (run.toLong << 32) | number.toLong

  /** Runs of so few rows are merged whatever their sizes. */
  private val FewRows = 128
}

package io.scalegate.lookup

import io.scalegate.band.{Band, Grid}
import io.scalegate.column.{ColumnarWindow, RadixOrder, WindowProbe}
import io.scalegate.stream.Side

/** Rows found by the bands that bound them: what a batch join probes when a side is small enough to be held.
  *
  * @param bands
  *   `s.attribute(i) − r.attribute(i)` lies in the i-th
  * @param side
  *   whose rows these are
  */
final class BandIndex private (
    private[scalegate] val bands: IndexedSeq[Band],
    private[scalegate] val side: Side,
    private[scalegate] val shape: BandIndex.Shape,
    val order: Array[Int],
    private[scalegate] val columns: ColumnarWindow,
    stripes: Array[Long],
    starts: Array[Int]
) extends RowIndex {
  /*
   * The most selective attribute is the one that rows are sorted by. The next one, if it is worth it, is cut
   * in stripes as wide as its band, and the rows are sorted within each stripe. So a probe reads a run of rows
   * in two or three stripes; the further attributes, and the striped one itself, are tested by the range kernel
   * on that run.
   *
   *   stripe of y    0          1               2         3
   *   x            [ 1 4 8 9 ][ 2 2 3 5 7 8 ][ 0 6 6 ][ 1 3 5 ]
   *                              ^^^^^          ^         ^         |y − 12| <= 4, |x − 3| <= 2
   *
   * An equi key, which is a band of width zero, is cut into stripes before any other attribute: each holds
   * the rows of one key, and nothing of the key is left to test. Those rows are sorted by the most selective
   * of the other attributes.
   */

  def lookup(): RowLookup = new BandLookup(this, new BandRanges(bands, side.opposite))

  private[this] val leastStripe = if (stripes.isEmpty) 0L else stripes.head

  /** Whether none is missing between the first stripe and the last. */
  private[this] val isDense =
    stripes.nonEmpty && stripes.last - leastStripe == stripes.length - 1L

  /** The number of the first stripe at or after this one, in the order of stripes. */
  private[scalegate] def firstStripe(stripe: Long): Int =
    if (isDense && stripe >= leastStripe && stripe <= leastStripe + (stripes.length - 1))
      (stripe - leastStripe).toInt
    else {
      val at = java.util.Arrays.binarySearch(stripes, stripe)
      if (at >= 0) at else -at - 1
    }

  private[scalegate] def stripeCount: Int = stripes.length
  private[scalegate] def stripe(i: Int): Long = stripes(i)
  private[scalegate] def start(i: Int): Int = starts(i)

  /** The sorted attribute of every row. */
  private[scalegate] def sorted: Array[Long] = columns.positionColumn
}

object BandIndex {

  /** Which attribute the rows are sorted by, and in stripes of which they lie. */
  final private[scalegate] class Shape(
      val sorted: Int,
      val striped: Option[Int],
      bands: Seq[Band]
  ) {
    private[this] val grid =
      striped.map(i => Grid(Vector(bands(i)), stripesPerBand = 1)).orNull

    /** The attributes that are kept as columns: not the sorted one, nor one whose stripes have one value. */
    val others: Array[Int] =
      bands.indices.filter(i => i != sorted && !(striped.contains(i) && bands(i).isPoint)).toArray

    def stripeOf(key: Long): Long = if (grid == null) 0L else grid.stripe(0, key)
  }

  /** Where in `[from, until)` of a sorted array a number is at least `key` for the first time. */
  private[scalegate] def firstAtLeast(
      sorted: Array[Long],
      key: Long,
      from: Int,
      until: Int
  ): Int = {
    var low = from
    var high = until
    while (low < high) {
      val middle = (low + high) >>> 1
      if (sorted(middle) < key) low = middle + 1 else high = middle
    }
    low
  }

  /** The same for a number above `key`. */
  private[scalegate] def firstBeyond(sorted: Array[Long], key: Long, from: Int, until: Int): Int =
    if (key == Long.MaxValue) until else firstAtLeast(sorted, key + 1, from, until)

  /** @param keys
    *   the i-th array holds the i-th attribute of every row, as sortable integers
    */
  def apply(bands: IndexedSeq[Band], side: Side, keys: IndexedSeq[Array[Long]]): BandIndex = {
    require(
      bands.nonEmpty && keys.length == bands.length,
      s"a band index needs at least one band, and as many arrays of keys; it was given ${bands.length} " +
        s"bands and ${keys.length} arrays"
    )
    val rows = keys.head.length
    require(
      keys.forall(_.length == rows),
      s"a band index needs keys of the same rows in each array; their lengths are ${keys.map(_.length).mkString(", ")}"
    )
    val shape = if (rows < FewRows) asGiven(bands) else chosen(bands, keys)
    val byKey = RadixOrder.by(keys(shape.sorted), Array.range(0, rows))
    val stripeOf = new Array[Long](rows)
    shape.striped.foreach { i =>
      val striped = keys(i)
      var n = 0
      while (n < rows) {
        stripeOf(n) = shape.stripeOf(striped(n))
        n += 1
      }
    }
    val order = if (shape.striped.isEmpty) byKey else RadixOrder.by(stripeOf, byKey)
    val starts = RadixOrder.runs(stripeOf, order)
    val stripes = starts.dropRight(1).map(at => stripeOf(order(at)))
    new BandIndex(bands, side, shape, order, filled(bands, shape, keys, order), stripes, starts)
  }

  /** Of so few rows a probe may look at all: to estimate what the bands let through would take longer. */
  private[this] def asGiven(bands: IndexedSeq[Band]): Shape = {
    val key = bands.indices.find(bands(_).isPoint).filter(_ => bands.length > 1)
    new Shape(bands.indices.find(!key.contains(_)).get, key, bands)
  }

  /** Sorted by the attribute whose band lets the least through, in stripes of an equi key or, if there is
    * none, of the next one.
    */
  private[this] def chosen(bands: IndexedSeq[Band], keys: IndexedSeq[Array[Long]]): Shape = {
    val shares = bands.indices.map(i => passingShare(bands(i), keys(i)))
    val bySelectivity = bands.indices.sortBy(shares(_))
    val key = bySelectivity.find(bands(_).isPoint).filter(_ => bands.length > 1)
    val sorted = bySelectivity.filterNot(key.contains).head
    val next = bySelectivity.find(_ != sorted).filter(shares(_) < WorthStripes)
    new Shape(sorted, key.orElse(next), bands)
  }

  /** The share of pairs of these keys that lie within the band, from a sample of them. */
  private[this] def passingShare(band: Band, keys: Array[Long]): Double = {
    val rows = math.min(MostSampled, math.max(FewRows, keys.length / 8))
    val step = math.max(1, keys.length / rows)
    val sample = keys.indices.by(step).map(keys(_)).toArray
    sharePassing(band, sample, sample)
  }

  /** The share of all pairs of one of these keys of R and one of S that lie within the band; 0 without any. */
  def sharePassing(band: Band, r: Array[Long], s: Array[Long]): Double = {
    val sorted = s.clone()
    java.util.Arrays.sort(sorted)
    var passing = 0L
    var i = 0
    while (i < r.length) {
      val from = firstAtLeast(sorted, band.least(Side.R, r(i)), 0, sorted.length)
      passing += firstBeyond(sorted, band.greatest(Side.R, r(i)), from, sorted.length) - from
      i += 1
    }
    passing / math.max(1.0, r.length.toDouble * s.length)
  }

  private[this] def filled(
      bands: IndexedSeq[Band],
      shape: Shape,
      keys: IndexedSeq[Array[Long]],
      order: Array[Int]
  ): ColumnarWindow = {
    val attributes = shape.others.toVector.map(bands(_).attribute)
    val columns = new ColumnarWindow(attributes, initialRows = order.length)
    val positions = keys(shape.sorted)
    var next = 0
    while (next < order.length) {
      columns.append(positions(order(next)), null)
      next += 1
    }
    shape.others.indices.foreach { i =>
      val values = keys(shape.others(i))
      var at = 0
      while (at < order.length) {
        columns.set(at, i, values(order(at)))
        at += 1
      }
    }
    columns
  }

  /** To look at more of many rows would tell no more; of fewer an eighth, or so small an index took longer to choose than to
    * build.
    */
  private[this] val MostSampled = 1024

  private[this] val FewRows = 64

  /** A probe reads about two stripes of an attribute: beyond this share they are most of the rows. */
  private[this] val WorthStripes = 1.0 / 8
}

/** What a probe's attributes let it match: of each band the range of the other side's attribute. One thread. */
final private[scalegate] class BandRanges(bands: IndexedSeq[Band], probing: Side) {
  private[this] val all = bands.toArray

  val least = new Array[Long](all.length)
  val greatest = new Array[Long](all.length)

  /** Computes the ranges; false when one of them is empty. */
  def read(keys: Array[Long]): Boolean = {
    var i = 0
    var any = true
    while (i < all.length && any) {
      least(i) = all(i).least(probing, keys(i))
      greatest(i) = all(i).greatest(probing, keys(i))
      any = least(i) <= greatest(i)
      i += 1
    }
    any
  }
}

/** @param ranges
  *   of the probe, which several lookups may share
  */
final private[scalegate] class BandLookup(index: BandIndex, ranges: BandRanges)
    extends RowLookup {
  private[this] val finder = new WindowProbe(index.columns)
  private[this] val shape = index.shape
  private[this] val columns = new Array[Long](2 * shape.others.length) // their ranges
  private[this] var nextStripe = 0
  private[this] var lastStripe = 0L
  private[this] var found = 0
  private[this] var taken = 0

  def start(keys: Array[Long]): Unit = if (ranges.read(keys)) open() else close()

  /** Begins a search for which the ranges are there. */
  def open(): Unit = {
    found = 0
    taken = 0
    val others = shape.others
    var i = 0
    while (i < others.length) {
      columns(2 * i) = ranges.least(others(i))
      columns(2 * i + 1) = ranges.greatest(others(i))
      i += 1
    }
    shape.striped match {
      case None =>
        nextStripe = 0
        lastStripe = 0L
      case Some(by) =>
        nextStripe = index.firstStripe(shape.stripeOf(ranges.least(by)))
        lastStripe = shape.stripeOf(ranges.greatest(by))
    }
  }

  private[this] def close(): Unit = {
    found = 0
    taken = 0
    nextStripe = index.stripeCount
  }

  def next(): Int = {
    searchOn()
    if (taken == found) -1
    else {
      taken += 1
      finder.slot(taken - 1)
    }
  }

  /** Moves to the next rows found, and gives how many they are; 0 when there are none. */
  def nextSome(): Int = {
    found = 0
    taken = 0
    searchOn()
    taken = found
    found
  }

  /** The number of the k-th of the rows found together. */
  def number(k: Int): Int = finder.slot(k)

  /** Whether the numbers of rows found together follow one another: nothing is left to test of them. */
  def isRange: Boolean = columns.length == 0

  /** Searches stripes while all that was found is taken. */
  private[this] def searchOn(): Unit =
    while (
      taken == found && nextStripe < index.stripeCount && index.stripe(nextStripe) <= lastStripe
    )
      searchStripe()

  def comparisons: Long = finder.comparisons

  private[this] def searchStripe(): Unit = {
    val end = index.start(nextStripe + 1)
    val from =
      BandIndex.firstAtLeast(
        index.sorted,
        ranges.least(shape.sorted),
        index.start(nextStripe),
        end
      )
    val until = BandIndex.firstBeyond(index.sorted, ranges.greatest(shape.sorted), from, end)
    nextStripe += 1
    taken = 0
    found = finder.search(from, until, columns)
  }
}

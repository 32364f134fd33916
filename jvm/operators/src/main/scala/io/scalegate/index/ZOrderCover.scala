package io.scalegate.index

/** Ranges of keys that hold the points of a rectangle, for an index of points of a plane whose keys are
  * the points' places on a Z-order curve (Morton 1966; the UB-tree of Bayer 1997 searches so). A curve
  * through all points of the plane enters a rectangle several times: between two times lie points
  * that are not in it. Few ranges hold many of these, and many ranges take a search of the index each;
  * so rectangles are cut where the curve is away for longest, as long as that spares more rows
  * than a search costs, and up to [[ZOrderCover.Most]] ranges.
  *
  * A coordinate is a number from 0 to 2^32^ − 1. A cover is filled anew for each search. One thread.
  */
final private[scalegate] class ZOrderCover {
  /*
   * A rectangle's least code is that of its lower left corner, its greatest that of its upper right
   * one, for a code rises with either coordinate. The highest bit in which the two differ is one of one
   * coordinate: the rectangle's points without it have a range of codes before that of those with it.
   * Cut there, the two parts share no code, and neither do the parts of parts. They stand in the order
   * of their codes.
   */
  import ZOrderCover._

  private[this] val left = new Array[Long](Most)
  private[this] val right = new Array[Long](Most)
  private[this] val bottom = new Array[Long](Most)
  private[this] val top = new Array[Long](Most)
  private[this] val outside = new Array[Double](Most)
  private[this] val least = new Array[Long](Most)
  private[this] val greatest = new Array[Long](Most)
  private[this] var parts = 0
  private[this] var ranges = 0

  /** The ranges of keys, of which none holds a key of another. */
  def size: Int = ranges

  def lo(i: Int): Long = least(i)

  def hi(i: Int): Long = greatest(i)

  def clear(): Unit = {
    parts = 0
    ranges = 0
  }

  /** Adds a rectangle, its bounds inclusive. There may be one in each quarter of the plane, or a single one that
    * lies in several; they are added in the order of their codes.
    */
  def add(left: Long, right: Long, bottom: Long, top: Long): Unit = {
    set(parts, left, right, bottom, top)
    parts += 1
  }

  /** Makes the ranges of the rectangles that were added.
    *
    * @param density
    *   the rows that the index is expected to hold at a point
    */
  def cut(density: Double): Unit = {
    val allowed = SearchCost / density
    var worst = worstPart
    while (outside(worst) > allowed && parts < Most) {
      cutOne(worst)
      worst = worstPart
    }
    join()
  }

  /** The points that the ranges hold. */
  def points: Double = {
    var sum = 0.0
    var i = 0
    while (i < parts) {
      sum += outside(i) + area(i)
      i += 1
    }
    sum
  }

  /** The part with the most points outside. */
  private[this] def worstPart: Int = {
    var worst = 0
    var i = 1
    while (i < parts) {
      if (outside(i) > outside(worst)) worst = i
      i += 1
    }
    worst
  }

  private[this] def cutOne(i: Int): Unit = {
    val (l, r, b, t) = (left(i), right(i), bottom(i), top(i))
    val bit = 63 - java.lang.Long.numberOfLeadingZeros(code(l, b) ^ code(r, t))
    var k = parts
    while (k > i + 1) {
      set(k, left(k - 1), right(k - 1), bottom(k - 1), top(k - 1))
      k -= 1
    }
    parts += 1
    val unit = 1L << (bit >> 1)
    if ((bit & 1) == 1) {
      val middle = r & -unit
      set(i, l, middle - 1, b, t)
      set(i + 1, middle, r, b, t)
    } else {
      val middle = t & -unit
      set(i, l, r, b, middle - 1)
      set(i + 1, l, r, middle, t)
    }
  }

  /** Makes one range of those between which no key lies. */
  private[this] def join(): Unit = {
    ranges = 0
    var i = 0
    while (i < parts) {
      val first = key(left(i), bottom(i))
      if (ranges > 0 && greatest(ranges - 1) + 1 == first && first != Long.MinValue)
        greatest(ranges - 1) = key(right(i), top(i))
      else {
        least(ranges) = first
        greatest(ranges) = key(right(i), top(i))
        ranges += 1
      }
      i += 1
    }
  }

  private[this] def set(i: Int, l: Long, r: Long, b: Long, t: Long): Unit = {
    left(i) = l
    right(i) = r
    bottom(i) = b
    top(i) = t
    outside(i) = unsigned(code(r, t) - code(l, b)) + 1 - area(i)
  }

  private[this] def area(i: Int): Double =
    (right(i) - left(i) + 1).toDouble * (top(i) - bottom(i) + 1).toDouble
}

private[scalegate] object ZOrderCover {

  /** The most ranges. */
  val Most = 16

  /** The rows that are found in vain, and looked up in their window, in the time in which an index finds a range. */
  val SearchCost = 30.0

  /** The greatest coordinate. */
  val Greatest: Long = (1L << 32) - 1

  /** The key of a point. */
  def key(x: Long, y: Long): Long = code(x, y) ^ Long.MinValue

  /** The point's place on the curve, as an unsigned number: the bits of `x` and `y` in turn. */
  private def code(x: Long, y: Long): Long = (spread(x) << 1) | spread(y)

  /** The lower 32 bits, with a zero above each. */
  private[this] def spread(v: Long): Long = {
    var s = v
    s = (s | (s << 16)) & 0x0000ffff0000ffffL
    s = (s | (s << 8)) & 0x00ff00ff00ff00ffL
    s = (s | (s << 4)) & 0x0f0f0f0f0f0f0f0fL
    s = (s | (s << 2)) & 0x3333333333333333L
    (s | (s << 1)) & 0x5555555555555555L
  }

  private def unsigned(v: Long): Double =
    if (v >= 0) v.toDouble else (v >>> 1).toDouble * 2
}

package io.scalegate.multiway.function

/** A sum of doubles without rounding: a fixed-point number wide enough for what was added so far.
  * Equal sums are equal in whatever order they were made, and what was added can be subtracted
  * again.
  */
final class ExactSum private[scalegate] {
  /*
   * A double is a whole number of 53 bits times a power of two. The sum is kept in digits of 32
   * bits, as a Long each, with a sign of its own, so that a number is added to the three digits
   * that it meets without carrying: carries are moved up after 2^30 additions, before 2^31 of them
   * could leave the Long.
   *
   *    added:          [   ][ 53 bits ][   ]
   *    digits:         [ d3 ][ d2 ][ d1 ][ d0 ]
   *
   * Four digits stand in the object itself, for numbers of common sizes: of absolute value from
   * 2^-30 up to 2^34. What meets other digits, and what is no number, is summed in a FarSum, made
   * when it is first needed. The whole sum is both.
   */
  private[this] var d0, d1, d2, d3 = 0L
  private[this] var uncarried = 0
  private[this] var n = 0L
  private[this] var far: FarSum = _

  /** How many were added. */
  def count: Long = n

  private[scalegate] def add(x: Double): Unit =
    if (ExactSum.isNear(x)) {
      val low = Digits.low(x)
      val middle = Digits.middle(x)
      val high = Digits.high(x)
      if (Digits.lowest(x) == ExactSum.Low) addNear(low, middle, high, 0)
      else addNear(0, low, middle, high)
    } else {
      n += 1
      if (x != 0.0) farSum.add(x)
    }

  /** Adds a number, as the digits here. */
  private def addNear(a: Long, b: Long, c: Long, d: Long): Unit = {
    n += 1
    addDigits(a, b, c, d)
  }

  private[scalegate] def add(other: ExactSum): Unit = addAll(other, 1)

  private[scalegate] def subtract(other: ExactSum): Unit = addAll(other, -1)

  /** The double next to the sum, ties to even. */
  def toDouble: Double = {
    val all = new FarSum
    addTo(all, 1)
    all.toDouble
  }

  private[this] def addAll(other: ExactSum, sign: Int): Unit = {
    n += sign * other.count
    carry()
    other.addCarriedTo(this, sign)
  }

  private def addCarriedTo(sum: ExactSum, sign: Int): Unit = {
    carry()
    sum.addDigits(sign * d0, sign * d1, sign * d2, sign * d3)
    if (far != null) sum.farSum.add(far, sign)
  }

  private[this] def addTo(sum: FarSum, sign: Int): Unit = {
    sum.add(ExactSum.Low, Array(d0, d1, d2, d3), sign)
    if (far != null) sum.add(far, sign)
  }

  private def addDigits(a: Long, b: Long, c: Long, d: Long): Unit = {
    d0 += a
    d1 += b
    d2 += c
    d3 += d
    uncarried += 1
    if (uncarried >= Digits.Additions) carry()
  }

  /** Moves carries up; all goes far when the top digit grows beyond a digit. */
  private[this] def carry(): Unit = if (uncarried > 0) {
    d1 += d0 >> 32
    d0 &= Digits.Mask
    d2 += d1 >> 32
    d1 &= Digits.Mask
    d3 += d2 >> 32
    d2 &= Digits.Mask
    uncarried = 0
    if (d3 != d3.toInt) {
      farSum.add(ExactSum.Low, Array(d0, d1, d2, d3 & Digits.Mask, d3 >> 32), 1)
      d0 = 0
      d1 = 0
      d2 = 0
      d3 = 0
    }
  }

  private def farSum: FarSum = {
    if (far == null) far = new FarSum
    far
  }
}

private[scalegate] object ExactSum {

  /** Which digit the lowest here is. */
  private val Low = 31

  /** Adds a number to each of the sums from `from` until `until`; null is an empty one. */
  def addToEach(sums: Array[AnyRef], from: Int, until: Int, x: Double): Unit = {
    var i = from
    if (isNear(x)) {
      val isLow = Digits.lowest(x) == Low
      val low = Digits.low(x)
      val middle = Digits.middle(x)
      val high = Digits.high(x)
      val a = if (isLow) low else 0L
      val b = if (isLow) middle else low
      val c = if (isLow) high else middle
      val d = if (isLow) 0L else high
      while (i < until) {
        if (sums(i) == null) sums(i) = new ExactSum
        sums(i).asInstanceOf[ExactSum].addNear(a, b, c, d)
        i += 1
      }
    } else
      while (i < until) {
        if (sums(i) == null) sums(i) = new ExactSum
        sums(i).asInstanceOf[ExactSum].add(x)
        i += 1
      }
  }

  /** Whether all the number's digits are in the object. */
  private def isNear(x: Double): Boolean = {
    val lowest = Digits.lowest(x)
    lowest == Low || lowest == Low + 1
  }
}

/** A finite double as three digits of 32 bits, with its sign: the lowest, of weight `2^(32 * lowest
  * - 1074)`, where 2^-1074 is the least double, and the two above.
  */
private object Digits {
  val Mask = 0xffffffffL

  /** How many times digits may be added to before carries are moved up. */
  val Additions: Int = 1 << 30

  /** Beyond any finite number's for what is none. */
  def lowest(x: Double): Int = (math.max(exponent(x), 1) - 1) >> 5

  def low(x: Double): Long = signed(x, (whole(x) << shift(x)) & Mask)
  def middle(x: Double): Long = signed(x, (whole(x) >>> (32 - shift(x))) & Mask)
  def high(x: Double): Long = signed(x, (whole(x) >>> 1) >>> (63 - shift(x)))

  private def exponent(x: Double): Int =
    (java.lang.Double.doubleToRawLongBits(x) >>> 52).toInt & 0x7ff

  private def shift(x: Double): Int = (math.max(exponent(x), 1) - 1) & 31

  private def whole(x: Double): Long = {
    val fraction = java.lang.Double.doubleToRawLongBits(x) & 0xfffffffffffffL
    if (exponent(x) == 0) fraction else fraction | 0x10000000000000L
  }

  /** `v`, or `-v` for a negative number. */
  private def signed(x: Double, v: Long): Long = {
    val sign = java.lang.Double.doubleToRawLongBits(x) >> 63
    (v ^ sign) - sign
  }
}

/** A sum of doubles of any size, see [[ExactSum]]. Digits are made where numbers meet them. What is
  * no number is counted beside.
  */
final private class FarSum {
  private[this] var lowest = 0
  private[this] var digits = new Array[Long](0)
  private[this] var uncarried = 0
  private[this] var positiveInfinities, negativeInfinities, notNumbers = 0L

  def add(x: Double): Unit =
    if (x.isNaN) notNumbers += 1
    else if (x.isPosInfinity) positiveInfinities += 1
    else if (x.isNegInfinity) negativeInfinities += 1
    else {
      val at = reach(Digits.lowest(x), 3)
      digits(at) += Digits.low(x)
      digits(at + 1) += Digits.middle(x)
      digits(at + 2) += Digits.high(x)
      added()
    }

  def add(other: FarSum, sign: Int): Unit = other.addTo(this, sign)

  /** Adds digits, of less than 2^63 each with what 2^30 additions make, the lowest first, that one
    * at the digit `from`.
    */
  def add(from: Int, others: Array[Long], sign: Int): Unit = {
    carry()
    val at = reach(from, others.length)
    var i = 0
    while (i < others.length) {
      digits(at + i) += sign * others(i)
      i += 1
    }
    added()
  }

  /** The double next to the sum, ties to even. */
  def toDouble: Double =
    if (notNumbers > 0 || (positiveInfinities > 0 && negativeInfinities > 0)) Double.NaN
    else if (positiveInfinities > 0) Double.PositiveInfinity
    else if (negativeInfinities > 0) Double.NegativeInfinity
    else round(carried(digits.clone()))

  private def addTo(sum: FarSum, sign: Int): Unit = {
    sum.addSpecials(sign * positiveInfinities, sign * negativeInfinities, sign * notNumbers)
    if (digits.length > 0) {
      carry()
      sum.add(lowest, digits, sign)
    }
  }

  private def addSpecials(positive: Long, negative: Long, none: Long): Unit = {
    positiveInfinities += positive
    negativeInfinities += negative
    notNumbers += none
  }

  private[this] def added(): Unit = {
    uncarried += 1
    if (uncarried >= Digits.Additions) carry()
  }

  /** Makes the digits from `from` on there, and says where they are. */
  private[this] def reach(from: Int, length: Int): Int = {
    if (digits.length == 0) {
      lowest = from
      digits = new Array[Long](length)
    } else if (from < lowest || from + length > lowest + digits.length) {
      val newLowest = math.min(lowest, from)
      val end = math.max(lowest + digits.length, from + length)
      val wider = new Array[Long](end - newLowest)
      System.arraycopy(digits, 0, wider, lowest - newLowest, digits.length)
      lowest = newLowest
      digits = wider
    }
    from - lowest
  }

  private[this] def carry(): Unit = if (uncarried > 0) {
    carried(digits)
    val top = digits(digits.length - 1)
    if (top != top.toInt) {
      reach(lowest, digits.length + 1)
      carried(digits)
    }
    uncarried = 0
  }

  /** Moves carries up, so that all digits but the top one are in [0, 2^32). */
  private[this] def carried(all: Array[Long]): Array[Long] = {
    var i = 0
    while (i < all.length - 1) {
      all(i + 1) += all(i) >> 32
      all(i) &= Digits.Mask
      i += 1
    }
    all
  }

  private[this] def round(all: Array[Long]): Double = {
    val top = all.length - 1
    if (top < 0) 0.0
    else if (all(top) < 0) {
      var i = 0
      while (i <= top) {
        all(i) = -all(i)
        i += 1
      }
      -FarSum.round(carried(all), lowest)
    } else FarSum.round(all, lowest)
  }
}

private object FarSum {

  /** The double next to a number whose digits are not negative; the top one may have more than 32
    * bits.
    */
  private def round(digits: Array[Long], low: Int): Double = {
    var high = digits.length - 1
    while (high >= 0 && digits(high) == 0) high -= 1
    if (high < 0) 0.0
    else {
      // The leading 64 bits, and whether any bit follows.
      val zeros = java.lang.Long.numberOfLeadingZeros(digits(high))
      var leading = digits(high) << zeros
      var missing = zeros // of the leading bits
      var i = high - 1
      var rest = false
      while (i >= 0) {
        if (missing >= 32) leading |= digits(i) << (missing - 32)
        else {
          leading |= digits(i) >>> (32 - missing)
          rest ||= (digits(i) & ((1L << (32 - missing)) - 1)) != 0
        }
        missing = math.max(missing - 32, 0)
        i -= 1
      }
      roundBits(leading, 32 * (low + high) - 1074 - zeros, rest)
    }
  }

  /** `leading * 2^exponent`, and a little more if there is a rest. */
  private def roundBits(leading: Long, exponent: Int, rest: Boolean): Double = {
    val drop = math.max(11, -1074 - exponent) // a double has 53 bits, and none below 2^-1074
    val kept = leading >>> drop
    val dropped = leading << (64 - drop)
    val up = dropped < 0 && (rest || (dropped << 1) != 0 || (kept & 1) != 0)
    Math.scalb((if (up) kept + 1 else kept).toDouble, exponent + drop)
  }
}

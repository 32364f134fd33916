package io.scalegate.aggregate

/** A sum of doubles without rounding: a fixed-point number wide enough for what was added so far.
  * Equal sums are equal in whatever order they were made, and what was added can be subtracted
  * again.
  */
final class ExactSum private[aggregate] {
  /*
   * A double is a whole number of 53 bits times a power of two. The sum is kept in digits of 32
   * bits, the lowest of weight 2^(32 * low - 1074), where 2^-1074 is the least double. Each digit
   * is a Long with a sign of its own, so that a number is added to the three digits that it meets
   * without carrying: carries are moved up after 2^30 additions, before 2^31 of them could leave
   * the Long. Digits are made where numbers meet them: numbers of similar size need three to
   * five.
   *
   *    added:          [   ][ 53 bits ][   ]
   *    digits:    [  ] [   ][    ]    [    ]     high ... low
   *
   * What is no number is counted beside.
   */
  private[this] var low = 0
  private[this] var digits = ExactSum.NoDigits
  private[this] var uncarried = 0
  private var n = 0L
  private[this] var positiveInfinities, negativeInfinities, notNumbers = 0L

  /** How many were added. */
  def count: Long = n

  private[aggregate] def add(x: Double): Unit = {
    n += 1
    val bits = java.lang.Double.doubleToRawLongBits(x)
    val exponent = (bits >>> 52).toInt & 0x7ff
    if (exponent == 0x7ff) addSpecial(x)
    else if (x != 0.0) addFinite(bits, exponent)
  }

  private[aggregate] def add(other: ExactSum): Unit = addAll(other, 1)

  private[aggregate] def subtract(other: ExactSum): Unit = addAll(other, -1)

  /** The double next to the sum, ties to even. */
  def toDouble: Double =
    if (notNumbers > 0 || (positiveInfinities > 0 && negativeInfinities > 0)) Double.NaN
    else if (positiveInfinities > 0) Double.PositiveInfinity
    else if (negativeInfinities > 0) Double.NegativeInfinity
    else round(carried(digits.clone()))

  private[this] def addSpecial(x: Double): Unit =
    if (x.isNaN) notNumbers += 1
    else if (x > 0) positiveInfinities += 1
    else negativeInfinities += 1

  private[this] def addFinite(bits: Long, exponent: Int): Unit = {
    val fraction = bits & 0xfffffffffffffL
    val whole = if (exponent == 0) fraction else fraction | 0x10000000000000L
    val place = math.max(exponent, 1) - 1
    val shift = place & 31
    val at = reach(place >> 5, 3)
    val sign = bits >> 63 // 0 or -1: (v ^ sign) - sign is v or -v
    val now = digits
    now(at) += (((whole << shift) & ExactSum.Mask) ^ sign) - sign
    now(at + 1) += (((whole >>> (32 - shift)) & ExactSum.Mask) ^ sign) - sign
    now(at + 2) += (((whole >>> 1) >>> (63 - shift)) ^ sign) - sign
    count(1)
  }

  private[this] def addAll(other: ExactSum, sign: Int): Unit = {
    n += sign * other.n
    other.addSpecialsTo(this, sign)
    if (other.hasDigits) {
      carry()
      other.carry()
      other.addDigitsTo(this, sign)
    }
  }

  private def hasDigits: Boolean = digits.length > 0

  private def addSpecialsTo(sum: ExactSum, sign: Int): Unit =
    sum.addSpecials(sign * positiveInfinities, sign * negativeInfinities, sign * notNumbers)

  private def addSpecials(positive: Long, negative: Long, none: Long): Unit = {
    positiveInfinities += positive
    negativeInfinities += negative
    notNumbers += none
  }

  private def addDigitsTo(sum: ExactSum, sign: Int): Unit = sum.addDigits(low, digits, sign)

  private def addDigits(from: Int, added: Array[Long], sign: Int): Unit = {
    val at = reach(from, added.length)
    var i = 0
    while (i < added.length) {
      digits(at + i) += sign * added(i)
      i += 1
    }
    count(1)
  }

  private[this] def count(additions: Int): Unit = {
    uncarried += additions
    if (uncarried >= ExactSum.Additions) carry()
  }

  /** Makes the digits from `from` on there, and says where they are. */
  private[this] def reach(from: Int, length: Int): Int = {
    if (digits.length == 0) {
      low = from
      digits = new Array[Long](length)
    } else if (from < low || from + length > low + digits.length) {
      val newLow = math.min(low, from)
      val end = math.max(low + digits.length, from + length)
      val wider = new Array[Long](end - newLow)
      System.arraycopy(digits, 0, wider, low - newLow, digits.length)
      low = newLow
      digits = wider
    }
    from - low
  }

  private def carry(): Unit = if (uncarried > 0) {
    val top = digits(digits.length - 1)
    if (top > Int.MaxValue || top < Int.MinValue) reach(low, digits.length + 1)
    digits = carried(digits)
    uncarried = 0
  }

  /** Moves carries up, so that all digits but the top one are in [0, 2^32). */
  private[this] def carried(all: Array[Long]): Array[Long] = {
    var i = 0
    while (i < all.length - 1) {
      all(i + 1) += all(i) >> 32
      all(i) &= ExactSum.Mask
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
      -ExactSum.round(carried(all), low)
    } else ExactSum.round(all, low)
  }
}

private[aggregate] object ExactSum {
  private val NoDigits = new Array[Long](0)
  private val Mask = 0xffffffffL
  private val Additions = 1 << 30

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

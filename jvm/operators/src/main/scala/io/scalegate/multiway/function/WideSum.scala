package io.scalegate.multiway.function

/** A sum of `Long`s in 128 bits, and how many they were. */
final class WideSum private[scalegate] {
  private[scalegate] var n = 0L
  private[this] var high = 0L
  private[this] var low = 0L // unsigned

  private[scalegate] def add(value: Long): Unit = addWide(value >> 63, value)

  private[scalegate] def add(other: WideSum): Unit = {
    n += other.n
    addWide(other.highPart, other.lowPart)
  }

  private[scalegate] def subtract(other: WideSum): Unit = {
    n -= other.n
    val borrow = if (java.lang.Long.compareUnsigned(low, other.lowPart) < 0) 1L else 0L
    low -= other.lowPart
    high -= other.highPart + borrow
  }

  private[scalegate] def fitsLong: Boolean = high == low >> 63

  private[scalegate] def lowPart: Long = low

  private[scalegate] def toDouble: Double =
    if (fitsLong) low.toDouble
    else (BigInt(high) << 64 | BigInt(low >>> 1) << 1 | BigInt(low & 1)).toDouble

  private def highPart: Long = high

  private[this] def addWide(otherHigh: Long, otherLow: Long): Unit = {
    low += otherLow
    val carry = if (java.lang.Long.compareUnsigned(low, otherLow) < 0) 1L else 0L
    high += otherHigh + carry
  }
}

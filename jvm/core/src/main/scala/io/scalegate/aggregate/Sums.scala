package io.scalegate.aggregate

import java.util.function.{ToDoubleFunction, ToLongFunction}

/** A sum of `Long`s in 128 bits, and how many they were. */
final class WideSum private[aggregate] {
  private[aggregate] var n = 0L
  private[this] var high = 0L
  private[this] var low = 0L // unsigned

  private[aggregate] def add(value: Long): Unit = addWide(value >> 63, value)

  private[aggregate] def add(other: WideSum): Unit = {
    n += other.n
    addWide(other.highPart, other.lowPart)
  }

  private[aggregate] def subtract(other: WideSum): Unit = {
    n -= other.n
    val borrow = if (java.lang.Long.compareUnsigned(low, other.lowPart) < 0) 1L else 0L
    low -= other.lowPart
    high -= other.highPart + borrow
  }

  private[aggregate] def fitsLong: Boolean = high == low >> 63

  private[aggregate] def lowPart: Long = low

  private[aggregate] def toDouble: Double =
    if (fitsLong) low.toDouble
    else (BigInt(high) << 64 | BigInt(low >>> 1) << 1 | BigInt(low & 1)).toDouble

  private def highPart: Long = high

  private[this] def addWide(otherHigh: Long, otherLow: Long): Unit = {
    low += otherLow
    val carry = if (java.lang.Long.compareUnsigned(low, otherLow) < 0) 1L else 0L
    high += otherHigh + carry
  }
}

/** What functions over a [[WideSum]] share. Exact, so the order of the tuples cannot matter, not even
  * for an overflow on the way.
  */
abstract private[aggregate] class OverWideSum[T, R](value: ToLongFunction[T])
    extends AggregateFunction[T, WideSum, R]
    with Invertible[WideSum] {
  def create(): WideSum = new WideSum

  def add(state: WideSum, tuple: T): WideSum = {
    state.n += 1
    state.add(value.applyAsLong(tuple))
    state
  }

  def merge(a: WideSum, b: WideSum): WideSum = {
    a.add(b)
    a
  }

  def subtract(state: WideSum, b: WideSum): WideSum = {
    state.subtract(b)
    state
  }
}

final private[aggregate] class Sum[T](value: ToLongFunction[T])
    extends OverWideSum[T, Long](value) {
  def name: String = "sum"

  def result(state: WideSum): Long = {
    if (!state.fitsLong)
      throw new ArithmeticException(
        "a window's sum leaves the range of a 64-bit integer; sum doubles, or smaller units"
      )
    state.lowPart
  }
}

final private[aggregate] class Average[T](value: ToLongFunction[T])
    extends OverWideSum[T, Option[Double]](value) {
  def name: String = "avg"

  def result(state: WideSum): Option[Double] =
    if (state.n == 0) None else Some(state.toDouble / state.n.toDouble)
}

/** Moments of doubles: count, mean and the sum of squared distances from it; the sum beside them. */
final class Moments private[aggregate] {
  private[aggregate] var n = 0L
  private[aggregate] var sum = 0.0
  private[aggregate] var mean = 0.0
  private[aggregate] var m2 = 0.0
}

/** Sum or average of doubles, each addition rounded. No inverse. */
abstract private[aggregate] class OverDoubleSum[T, R](value: ToDoubleFunction[T])
    extends AggregateFunction[T, Moments, R] {
  def create(): Moments = new Moments

  def add(state: Moments, tuple: T): Moments = {
    state.n += 1
    state.sum += value.applyAsDouble(tuple)
    state
  }

  def merge(a: Moments, b: Moments): Moments = {
    a.n += b.n
    a.sum += b.sum
    a
  }
}

final private[aggregate] class DoubleSum[T](value: ToDoubleFunction[T])
    extends OverDoubleSum[T, Double](value) {
  def name: String = "sum"

  def result(state: Moments): Double = state.sum
}

final private[aggregate] class DoubleAverage[T](value: ToDoubleFunction[T])
    extends OverDoubleSum[T, Option[Double]](value) {
  def name: String = "avg"

  def result(state: Moments): Option[Double] =
    if (state.n == 0) None else Some(state.sum / state.n.toDouble)
}

/** Variance by Welford's update and Chan's merge, which do not subtract large sums of squares.
  *
  * @param sample
  *   divide by one less than the count
  */
final private[aggregate] class Variance[T](value: ToDoubleFunction[T], sample: Boolean)
    extends AggregateFunction[T, Moments, Option[Double]] {
  def name: String = "variance"

  def create(): Moments = new Moments

  def add(state: Moments, tuple: T): Moments = {
    val x = value.applyAsDouble(tuple)
    state.n += 1
    val delta = x - state.mean
    state.mean += delta / state.n.toDouble
    state.m2 += delta * (x - state.mean)
    state
  }

  def merge(a: Moments, b: Moments): Moments = {
    if (b.n > 0) {
      val n = a.n + b.n
      val delta = b.mean - a.mean
      val share = b.n.toDouble / n.toDouble
      a.m2 = if (a.n == 0) b.m2 else a.m2 + b.m2 + delta * delta * a.n.toDouble * share
      a.mean = if (a.n == 0) b.mean else a.mean + delta * share
      a.n = n
    }
    a
  }

  def result(state: Moments): Option[Double] = {
    val divisor = if (sample) state.n - 1 else state.n
    if (divisor <= 0) None else Some(state.m2 / divisor.toDouble)
  }
}

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

/** What functions over a [[WideSum]] share. Exact, so the order of the tuples cannot matter, not
  * even for an overflow on the way.
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

  override private[aggregate] def addToEach(
      states: Array[AnyRef],
      from: Int,
      until: Int,
      tuple: T
  ): Unit = {
    val x = value.applyAsLong(tuple)
    var i = from
    while (i < until) {
      if (states(i) == null) states(i) = new WideSum
      val state = states(i).asInstanceOf[WideSum]
      state.n += 1
      state.add(x)
      i += 1
    }
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

/** What functions over an [[ExactSum]] share. */
abstract private[aggregate] class OverExactSum[T, R](value: ToDoubleFunction[T])
    extends AggregateFunction[T, ExactSum, R]
    with Invertible[ExactSum] {
  def create(): ExactSum = new ExactSum

  def add(state: ExactSum, tuple: T): ExactSum = {
    state.add(value.applyAsDouble(tuple))
    state
  }

  override private[aggregate] def addToEach(
      states: Array[AnyRef],
      from: Int,
      until: Int,
      tuple: T
  ): Unit = ExactSum.addToEach(states, from, until, value.applyAsDouble(tuple))

  def merge(a: ExactSum, b: ExactSum): ExactSum = {
    a.add(b)
    a
  }

  def subtract(state: ExactSum, b: ExactSum): ExactSum = {
    state.subtract(b)
    state
  }
}

final private[aggregate] class DoubleSum[T](value: ToDoubleFunction[T])
    extends OverExactSum[T, Double](value) {
  def name: String = "sum"

  def result(state: ExactSum): Double = state.toDouble
}

final private[aggregate] class DoubleAverage[T](value: ToDoubleFunction[T])
    extends OverExactSum[T, Option[Double]](value) {
  def name: String = "avg"

  def result(state: ExactSum): Option[Double] =
    if (state.count == 0) None else Some(state.toDouble / state.count.toDouble)
}

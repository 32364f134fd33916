package io.scalegate.multiway.function

import java.util.function.{ToDoubleFunction, ToLongFunction}

/** What functions over a [[WideSum]] share. Exact, so the order of the tuples cannot matter, not
  * even for an overflow on the way.
  */
abstract private[scalegate] class OverWideSum[T, R](value: ToLongFunction[T])
    extends AggregateFunction[T, WideSum, R]
    with Invertible[WideSum] {
  def create(): WideSum = new WideSum

  def add(state: WideSum, tuple: T): WideSum = {
    state.n += 1
    state.add(value.applyAsLong(tuple))
    state
  }

  override private[scalegate] def addToEach(
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

final private[scalegate] class Sum[T](value: ToLongFunction[T])
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

final private[scalegate] class Average[T](value: ToLongFunction[T])
    extends OverWideSum[T, Option[Double]](value) {
  def name: String = "avg"

  def result(state: WideSum): Option[Double] =
    if (state.n == 0) None else Some(state.toDouble / state.n.toDouble)
}

/** What functions over an [[ExactSum]] share. */
abstract private[scalegate] class OverExactSum[T, R](value: ToDoubleFunction[T])
    extends AggregateFunction[T, ExactSum, R]
    with Invertible[ExactSum] {
  def create(): ExactSum = new ExactSum

  def add(state: ExactSum, tuple: T): ExactSum = {
    state.add(value.applyAsDouble(tuple))
    state
  }

  override private[scalegate] def addToEach(
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

final private[scalegate] class DoubleSum[T](value: ToDoubleFunction[T])
    extends OverExactSum[T, Double](value) {
  def name: String = "sum"

  def result(state: ExactSum): Double = state.toDouble
}

final private[scalegate] class DoubleAverage[T](value: ToDoubleFunction[T])
    extends OverExactSum[T, Option[Double]](value) {
  def name: String = "avg"

  def result(state: ExactSum): Option[Double] =
    if (state.count == 0) None else Some(state.toDouble / state.count.toDouble)
}

package io.scalegate.multiway.function

import java.util.function.ToDoubleFunction

/** Variance by Welford's update and Chan's merge, which do not subtract large sums of squares.
  *
  * @param sample
  *   divide by one less than the count
  */
final private[scalegate] class Variance[T](value: ToDoubleFunction[T], sample: Boolean)
    extends AggregateFunction[T, Moments, Option[Double]] {
  def name: String = "variance"

  override def isRounding: Boolean = true

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

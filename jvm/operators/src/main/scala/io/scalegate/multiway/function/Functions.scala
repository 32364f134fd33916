package io.scalegate.multiway.function

import java.util.function.{Function, Predicate, ToDoubleFunction, ToLongFunction}

import io.scalegate.stream.EventOrder

/** The aggregate functions that come with the package. Those of no tuple have the result `None`
  * where there is no value: a window has tuples, but none that a predicate accepts maybe.
  */
object Functions {

  /** The number of tuples. */
  def count: AggregateFunction[Any, Counted, Long] with Invertible[Counted] = new Count

  /** The number of tuples that `accepts` accepts. */
  def countIf[T](accepts: Predicate[T]): AggregateFunction[T, Counted, Long] =
    where(accepts)(count)

  /** The number of different values, exactly. */
  def countDistinct[T](value: Function[T, _ <: AnyRef])
      : AggregateFunction[T, CountedValues, Long] with Invertible[CountedValues] =
    new CountDistinct[T](value)

  /** The number of different values, about, in a sketch of `2^precision` bytes: the standard error
    * is `1.04 / sqrt(2^precision)` of the number, 1.6 % with the default, and twice that is
    * exceeded once in about twenty times. Numbers up to about a tenth of the registers come out
    * nearly exact. The same for the tuples in any order, however they are merged.
    *
    * Values are numbers, strings, bytes or null. Needs DataSketches (`datasketches-java`) on the
    * class path, which Spark brings; this package does not.
    *
    * @param precision
    *   from 7 to 21
    */
  def approximateCountDistinct[T](
      value: Function[T, _ <: AnyRef],
      precision: Int = 12
  ): AggregateFunction[T, _ <: AnyRef, Double] = new ApproximateDistinct[T](value, precision)

  /** The sum. One that is no `Long` ends the aggregate with an `ArithmeticException`; what leaves
    * the range on the way and comes back does not.
    */
  def sum[T](value: ToLongFunction[T]): AggregateFunction[T, WideSum, Long]
    with Invertible[WideSum] = new Sum[T](value)

  /** The exact sum's quotient. */
  def avg[T](value: ToLongFunction[T]): AggregateFunction[T, WideSum, Option[Double]]
    with Invertible[WideSum] = new Average[T](value)

  /** The sum, rounded once: the same in any order of additions. NaN and infinities as in
    * floating-point addition.
    */
  def sumOfDoubles[T](value: ToDoubleFunction[T]): AggregateFunction[T, ExactSum, Double]
    with Invertible[ExactSum] = new DoubleSum[T](value)

  /** The quotient of [[sumOfDoubles]]. */
  def avgOfDoubles[T](value: ToDoubleFunction[T])
      : AggregateFunction[T, ExactSum, Option[Double]] with Invertible[ExactSum] =
    new DoubleAverage[T](value)

  /** The population's variance. Rounded at each step: its last digits depend on the order. */
  def variance[T](value: ToDoubleFunction[T]): AggregateFunction[T, Moments, Option[Double]] =
    new Variance[T](value, sample = false)

  /** The sample's variance, like [[variance]]; none for one tuple. */
  def sampleVariance[T](value: ToDoubleFunction[T])
      : AggregateFunction[T, Moments, Option[Double]] = new Variance[T](value, sample = true)

  /** The least value. */
  def min[T, A](value: Function[T, A])(implicit
      ordering: Ordering[A]
  ): AggregateFunction[T, Picked[A], Option[A]] = new Least[T, A]("min", value, ordering)

  /** The greatest value. */
  def max[T, A](value: Function[T, A])(implicit
      ordering: Ordering[A]
  ): AggregateFunction[T, Picked[A], Option[A]] =
    new Least[T, A]("max", value, ordering.reverse)

  /** What `result` says of the tuple of the least value, the first one of several. */
  def argMin[T, A, R](value: Function[T, A], order: EventOrder[T], result: Function[T, R])(
      implicit ordering: Ordering[A]
  ): AggregateFunction[T, Picked[T], Option[R]] =
    new LeastBy[T, A, R]("argMin", value, ordering, order, result)

  /** What `result` says of the tuple of the greatest value, the first one of several. */
  def argMax[T, A, R](value: Function[T, A], order: EventOrder[T], result: Function[T, R])(
      implicit ordering: Ordering[A]
  ): AggregateFunction[T, Picked[T], Option[R]] =
    new LeastBy[T, A, R]("argMax", value, ordering.reverse, order, result)

  /** What `result` says of the first tuple. Order-sensitive. */
  def first[T, R](result: Function[T, R]): AggregateFunction[T, Picked[T], Option[R]] =
    new FirstOrLast[T, R]("first", last = false, _ => true, result)

  /** What `result` says of the last tuple. Order-sensitive. */
  def last[T, R](result: Function[T, R]): AggregateFunction[T, Picked[T], Option[R]] =
    new FirstOrLast[T, R]("last", last = true, _ => true, result)

  /** What `result` says of the first tuple that `accepts` accepts. Order-sensitive. */
  def firstThat[T, R](
      accepts: Predicate[T],
      result: Function[T, R]
  ): AggregateFunction[T, Picked[T], Option[R]] =
    new FirstOrLast[T, R]("first-that", last = false, accepts, result)

  /** The function over those tuples that `accepts` accepts; invertible if it is. */
  def where[T, S <: AnyRef, R](accepts: Predicate[T])(
      function: AggregateFunction[T, S, R]
  ): AggregateFunction[T, S, R] =
    function match {
      case inverse: Invertible[S @unchecked] =>
        new InvertibleFiltered[T, S, R](accepts, function, inverse)
      case _ => new Filtered[T, S, R](accepts, function)
    }

  /** Several functions side by side, their results in that order; invertible if all are. */
  def several[T](functions: AggregateFunction[T, _ <: AnyRef, Any]*)
      : AggregateFunction[T, Array[AnyRef], Vector[Any]] = {
    require(functions.nonEmpty, "give at least one function")
    // Each state goes back to the function that made it.
    val parts = functions.map(_.asInstanceOf[AggregateFunction[T, AnyRef, Any]]).toVector
    val inverses = parts.collect { case i: Invertible[AnyRef @unchecked] => i }
    if (inverses.size == parts.size) new InvertibleSeveral[T](parts, inverses)
    else new Several[T](parts)
  }
}

package io.scalegate.multiway.function

import java.util.function.Function

/** A number in an object, so that adding to it makes no other. */
final class Counted private[scalegate] (private[scalegate] var n: Long)

/** The number of tuples. */
final private[scalegate] class Count extends AggregateFunction[Any, Counted, Long]
    with Invertible[Counted] {
  def name: String = "count"

  def create(): Counted = new Counted(0L)

  def add(state: Counted, tuple: Any): Counted = {
    state.n += 1
    state
  }

  override private[scalegate] def layout(
      overlap: Long
  ): StateLayout[Any, CountColumns] = CountLayout

  def merge(a: Counted, b: Counted): Counted = {
    a.n += b.n
    a
  }

  def subtract(state: Counted, b: Counted): Counted = {
    state.n -= b.n
    state
  }

  def result(state: Counted): Long = state.n
}

/** The number of different values, exactly: it keeps them all. */
final private[scalegate] class CountDistinct[T](value: Function[T, _ <: AnyRef])
    extends AggregateFunction[T, CountedValues, Long]
    with Invertible[CountedValues] {
  def name: String = "count distinct"

  def create(): CountedValues = new CountedValues

  def add(state: CountedValues, tuple: T): CountedValues = {
    state.add(value(tuple), 1L)
    state
  }

  def merge(a: CountedValues, b: CountedValues): CountedValues = {
    a.add(b)
    a
  }

  def subtract(state: CountedValues, b: CountedValues): CountedValues = {
    state.subtract(b)
    state
  }

  def result(state: CountedValues): Long = state.size.toLong
}

package io.scalegate.aggregate

import java.util.HashSet
import java.util.function.Function

/** A number in an object, so that adding to it makes no other. */
final class Counted private[aggregate] (private[aggregate] var n: Long)

/** The number of tuples. */
final private[aggregate] class Count extends AggregateFunction[Any, Counted, Long]
    with Invertible[Counted] {
  def name: String = "count"

  def create(): Counted = new Counted(0L)

  def add(state: Counted, tuple: Any): Counted = {
    state.n += 1
    state
  }

  override private[aggregate] def layout(
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
final private[aggregate] class CountDistinct[T](value: Function[T, _ <: AnyRef])
    extends AggregateFunction[T, HashSet[AnyRef], Long] {
  def name: String = "count distinct"

  def create(): HashSet[AnyRef] = new HashSet[AnyRef]

  def add(state: HashSet[AnyRef], tuple: T): HashSet[AnyRef] = {
    state.add(value(tuple))
    state
  }

  def merge(a: HashSet[AnyRef], b: HashSet[AnyRef]): HashSet[AnyRef] = {
    a.addAll(b)
    a
  }

  def result(state: HashSet[AnyRef]): Long = state.size.toLong
}

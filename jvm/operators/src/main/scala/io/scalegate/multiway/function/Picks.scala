package io.scalegate.multiway.function

import java.util.function.{Function, Predicate}

import io.scalegate.stream.EventOrder

/** The first or the last tuple that a predicate accepts. */
final private[scalegate] class FirstOrLast[T, R](
    val name: String,
    last: Boolean,
    accepts: Predicate[T],
    result: Function[T, R]
) extends AggregateFunction[T, Picked[T], Option[R]] {
  override def isOrderSensitive: Boolean = true

  def create(): Picked[T] = new Picked[T]

  def add(state: Picked[T], tuple: T): Picked[T] = {
    if ((last || !state.isSet) && accepts.test(tuple)) state.set(tuple)
    state
  }

  def merge(a: Picked[T], b: Picked[T]): Picked[T] = {
    if (b.isSet && (last || !a.isSet)) a.set(b.value)
    a
  }

  def result(state: Picked[T]): Option[R] = state.toOption.map(result(_))
}

/** The least value. Of values that the ordering calls equal any may come: give one that is total.
  */
final private[scalegate] class Least[T, A](
    val name: String,
    value: Function[T, A],
    ordering: Ordering[A]
) extends AggregateFunction[T, Picked[A], Option[A]] {
  def create(): Picked[A] = new Picked[A]

  def add(state: Picked[A], tuple: T): Picked[A] = offer(state, value(tuple))

  def merge(a: Picked[A], b: Picked[A]): Picked[A] = if (b.isSet) offer(a, b.value) else a

  def result(state: Picked[A]): Option[A] = state.toOption

  private[this] def offer(state: Picked[A], a: A): Picked[A] = {
    if (!state.isSet || ordering.lt(a, state.value)) state.set(a)
    state
  }
}

/** The tuple of the least value, the first of them in the tuples' total order: which needs no
  * order of arrival.
  */
final private[scalegate] class LeastBy[T, A, R](
    val name: String,
    value: Function[T, A],
    ordering: Ordering[A],
    order: EventOrder[T],
    result: Function[T, R]
) extends AggregateFunction[T, Picked[T], Option[R]] {
  def create(): Picked[T] = new Picked[T]

  def add(state: Picked[T], tuple: T): Picked[T] = {
    if (!state.isSet || isBefore(tuple, state.value)) state.set(tuple)
    state
  }

  def merge(a: Picked[T], b: Picked[T]): Picked[T] = if (b.isSet) add(a, b.value) else a

  def result(state: Picked[T]): Option[R] = state.toOption.map(result(_))

  private[this] def isBefore(a: T, b: T): Boolean = {
    val c = ordering.compare(value(a), value(b))
    c < 0 || (c == 0 && order.compare(a, b) < 0)
  }
}

package io.scalegate.multiway.function

import java.util.function.Predicate

/** A function over the tuples that a predicate accepts. */
private[scalegate] class Filtered[T, S <: AnyRef, R](
    predicate: Predicate[T],
    val ofAccepted: AggregateFunction[T, S, R]
) extends AggregateFunction[T, S, R]
    with Selective[T, S, R] {
  def name: String = ofAccepted.name
  override def isOrderSensitive: Boolean = ofAccepted.isOrderSensitive
  override def isRounding: Boolean = ofAccepted.isRounding
  def accepts(tuple: T): Boolean = predicate.test(tuple)
  def create(): S = ofAccepted.create()
  def add(state: S, tuple: T): S = if (accepts(tuple)) ofAccepted.add(state, tuple) else state
  def merge(a: S, b: S): S = ofAccepted.merge(a, b)
  def result(state: S): R = ofAccepted.result(state)
}

final private[scalegate] class InvertibleFiltered[T, S <: AnyRef, R](
    predicate: Predicate[T],
    function: AggregateFunction[T, S, R],
    inverse: Invertible[S]
) extends Filtered[T, S, R](predicate, function)
    with Invertible[S] {
  def subtract(state: S, b: S): S = inverse.subtract(state, b)
}

/** Several functions over the same tuples, side by side. */
private[scalegate] class Several[T](functions: IndexedSeq[AggregateFunction[T, AnyRef, Any]])
    extends AggregateFunction[T, Array[AnyRef], Vector[Any]] {
  private[this] val parts = functions.toArray

  def name: String = functions.map(_.name).mkString(", ")

  override def isOrderSensitive: Boolean = functions.exists(_.isOrderSensitive)

  override def isRounding: Boolean = functions.exists(_.isRounding)

  def create(): Array[AnyRef] = parts.map(_.create())

  def add(state: Array[AnyRef], tuple: T): Array[AnyRef] = {
    var i = 0
    while (i < parts.length) {
      state(i) = parts(i).add(state(i), tuple)
      i += 1
    }
    state
  }

  def merge(a: Array[AnyRef], b: Array[AnyRef]): Array[AnyRef] = {
    var i = 0
    while (i < parts.length) {
      a(i) = parts(i).merge(a(i), b(i))
      i += 1
    }
    a
  }

  def result(state: Array[AnyRef]): Vector[Any] =
    Vector.tabulate(parts.length)(i => parts(i).result(state(i)))
}

final private[scalegate] class InvertibleSeveral[T](
    functions: IndexedSeq[AggregateFunction[T, AnyRef, Any]],
    inverses: IndexedSeq[Invertible[AnyRef]]
) extends Several[T](functions)
    with Invertible[Array[AnyRef]] {
  def subtract(state: Array[AnyRef], b: Array[AnyRef]): Array[AnyRef] = {
    inverses.indices.foreach(i => state(i) = inverses(i).subtract(state(i), b(i)))
    state
  }
}

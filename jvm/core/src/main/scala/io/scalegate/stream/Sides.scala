package io.scalegate.stream

/** A value for each of a join's two sides: `left` is that of [[Side.R]], `right` that of [[Side.S]]. */
final case class Sides[+A](left: A, right: A) {
  def apply(side: Side): A = if (side eq Side.R) left else right

  def map[B](f: A => B): Sides[B] = Sides(f(left), f(right))

  def zip[B](that: Sides[B]): Sides[(A, B)] =
    Sides((left, that.left), (right, that.right))

  /** The same with another value for this side. */
  def updated[B >: A](side: Side, value: B): Sides[B] =
    if (side eq Side.R) Sides(value, right) else Sides(left, value)

  /** The left side's, and then the right one's. */
  def toSeq: Seq[A] = Seq(left, right)
}

object Sides {

  /** This side's value, and the other's. */
  def bySide[A](side: Side, own: A, other: A): Sides[A] =
    if (side eq Side.R) Sides(own, other) else Sides(other, own)

  def each[A](f: Side => A): Sides[A] = Sides(f(Side.R), f(Side.S))
}

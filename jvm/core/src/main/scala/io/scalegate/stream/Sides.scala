package io.scalegate.stream

/** A value for each of a join's two sides: `left` is that of [[Side.R]], `right` that of [[Side.S]]. */
final case class Sides[+A](left: A, right: A) {
  def apply(side: Side): A = if (side eq Side.R) left else right

  def map[B](f: A => B): Sides[B] = Sides(f(left), f(right))

  def zip[B](that: Sides[B]): Sides[(A, B)] =
    Sides((left, that.left), (right, that.right))
}

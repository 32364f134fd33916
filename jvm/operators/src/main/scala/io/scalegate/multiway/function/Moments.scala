package io.scalegate.multiway.function

/** Moments of doubles: count, mean and the sum of squared distances from it. */
final class Moments private[scalegate] {
  private[scalegate] var n = 0L
  private[scalegate] var mean = 0.0
  private[scalegate] var m2 = 0.0
}

package io.scalegate.multiway.function

/** One tuple or value of those seen, or none yet. */
final class Picked[A] private[scalegate] {
  private[scalegate] var isSet = false
  private[scalegate] var value: A = _

  private[scalegate] def set(a: A): Unit = {
    value = a
    isSet = true
  }

  private[scalegate] def toOption: Option[A] = if (isSet) Some(value) else None
}

package io.scalegate.multiway.function

import java.util.HashMap

/** Different values, and how often each was added. */
final class CountedValues private[scalegate] {
  private[this] val counts = new HashMap[AnyRef, Counted]

  private[scalegate] def size: Int = counts.size

  private[scalegate] def add(value: AnyRef, n: Long): Unit =
    counts.computeIfAbsent(value, _ => new Counted(0L)).n += n

  private[scalegate] def add(other: CountedValues): Unit = other.foreach(add(_, _))

  private[scalegate] def subtract(other: CountedValues): Unit = other.foreach { (value, n) =>
    val count = counts.get(value)
    count.n -= n
    if (count.n == 0) counts.remove(value)
  }

  private def foreach(f: (AnyRef, Long) => Unit): Unit =
    counts.forEach((value, count) => f(value, count.n))
}

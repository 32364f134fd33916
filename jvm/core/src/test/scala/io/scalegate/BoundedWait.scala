package io.scalegate

import java.util.concurrent.TimeUnit

import io.scalegate.stream.IdleStrategy

/** A wait that gives up with an error after minutes, which only a fault takes, also on a machine that is
  * many times slower than usual.
  */
final class BoundedWait(what: String) {
  private[this] val backoff = new IdleStrategy.Backoff(maxParkNanos = 50000L)
  private[this] val deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(BoundedWait.Seconds)

  def idle(): Unit = {
    if (System.nanoTime() > deadline)
      throw new AssertionError(s"no $what within ${BoundedWait.Seconds} s")
    backoff.idle()
  }

  def progress(): Unit = backoff.reset()
}

object BoundedWait {
  val Seconds = 300L

  /** Waits until `condition` holds, idling in between. */
  def until(what: String)(condition: => Boolean): Unit = {
    val wait = new BoundedWait(what)
    while (!condition) wait.idle()
  }

  /** Whether `condition` comes to hold, for which it looks fifty times a second. */
  def holds(condition: => Boolean): Boolean = {
    val deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(Seconds)
    while (!condition && System.nanoTime() < deadline) Thread.sleep(20)
    condition
  }
}

package io.scalegate

import java.util.concurrent.TimeUnit

import io.scalegate.stream.IdleStrategy

/** A wait that gives up with an error after a minute. */
final class BoundedWait(what: String) {
  private[this] val backoff = new IdleStrategy.Backoff(maxParkNanos = 50000L)
  private[this] val deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60)

  def idle(): Unit = {
    if (System.nanoTime() > deadline) throw new AssertionError(s"no $what within a minute")
    backoff.idle()
  }

  def progress(): Unit = backoff.reset()
}

object BoundedWait {

  /** Waits until `condition` holds, idling in between. */
  def until(what: String)(condition: => Boolean): Unit = {
    val wait = new BoundedWait(what)
    while (!condition) wait.idle()
  }
}

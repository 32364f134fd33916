package io.scalegate

import java.util.concurrent.atomic.AtomicReference

/** A thread of a test, and what it ended by. */
final class TestThread(body: => Unit) {
  private[this] val thrown = new AtomicReference[Throwable]
  private[this] val thread = new Thread(() =>
    try body
    catch { case e: Throwable => thrown.set(e) }
  )
  thread.setDaemon(true)
  thread.start()

  /** What the body threw; null if it came to its end. Waits for that. */
  def end(): Throwable = {
    BoundedWait.until("end of a thread")(!thread.isAlive)
    thrown.get
  }

  def isBlocked: Boolean =
    Set(Thread.State.TIMED_WAITING, Thread.State.WAITING).contains(thread.getState)
}

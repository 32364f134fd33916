package io.scalegate.stream

import java.util.concurrent.atomic.AtomicBoolean

/** A lock for short sections of the core's own code, some hundred instructions: one
  * compare-and-set to acquire, one release store to give back. Who finds it taken idles, so that a
  * holder that was preempted gets the processor. Not reentrant, not fair; no code of a caller runs
  * under it, since that could ask for the lock again.
  */
private[scalegate] class SpinLock {
  private[this] val taken = new AtomicBoolean

  final def tryAcquire(): Boolean = !taken.getOpaque && taken.compareAndSet(false, true)

  final def acquire(): Unit = if (!taken.compareAndSet(false, true)) await()

  final def release(): Unit = taken.setRelease(false)

  private[this] def await(): Unit = {
    val idle = new IdleStrategy.Backoff
    while (!tryAcquire()) idle.idle()
  }
}

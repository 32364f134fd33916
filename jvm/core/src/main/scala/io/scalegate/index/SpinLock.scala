package io.scalegate.index

import java.util.concurrent.atomic.AtomicBoolean

import io.scalegate.stream.IdleStrategy

/** A lock for sections of some hundred instructions: one compare-and-set to acquire, one release
  * store to give back. Who finds it taken idles. Not reentrant, not fair.
  */
private[index] class SpinLock {
  private[this] val taken = new AtomicBoolean

  final def acquire(): Unit = if (!taken.compareAndSet(false, true)) await()

  final def release(): Unit = taken.setRelease(false)

  private[this] def await(): Unit = {
    val idle = new IdleStrategy.Backoff
    while (taken.getPlain || !taken.compareAndSet(false, true)) idle.idle()
  }
}

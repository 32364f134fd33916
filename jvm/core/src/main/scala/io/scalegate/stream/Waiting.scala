package io.scalegate.stream

/** How a thread of an operator waits for what other threads do: room, or a result. It ends with the
  * operator. One thread.
  */
final private[scalegate] class Waiting(ending: Lifecycle, idle: IdleStrategy) {

  /** Waits until the condition holds, which this thread tries again and again.
    *
    * @throws io.scalegate.stream.Stopped
    *   if the operator is stopped while it does not
    */
  def until(condition: => Boolean): Unit = {
    while (!condition) {
      throwIfStopped()
      idle.idle()
    }
    idle.reset()
  }

  def throwIfStopped(): Unit = if (ending.isStopped) throw new Stopped
}

private[scalegate] object Waiting {

  /** Waits until a source takes what it was offered and has refused once. The caller's thread, which an
    * interrupt ends.
    */
  def forRoom(source: AnyRef, idle: IdleStrategy)(offer: => Boolean): Unit =
    do {
      if (Thread.interrupted()) throw new InterruptedException(s"$source waited for room")
      idle.idle()
    } while (!offer)
}

/** Unwinds a thread that must end while it waits. */
final private[scalegate] class Stopped extends RuntimeException(null, null, false, false)

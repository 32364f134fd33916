package io.scalegate.stream

import java.util.concurrent.locks.LockSupport

/** What a thread does while it cannot make progress. One instance per thread: it counts.
  *
  * Every wait of the core goes through one of these, and rechecks its condition after each call.
  */
trait IdleStrategy {

  /** Waits a little, longer the more often it was called since the last [[reset]]. */
  def idle(): Unit

  /** Called when there was work. */
  def reset(): Unit
}

object IdleStrategy {

  /** Spins, for threads that own a core. */
  final class Spin extends IdleStrategy {
    def idle(): Unit = Thread.onSpinWait()
    def reset(): Unit = ()
  }

  /** Spins, then yields, then parks for twice as long each time, up to `maxParkNanos`. A thread that
    * is interrupted goes on yielding, since it cannot park.
    */
  final class Backoff(
      spins: Int = 100,
      yields: Int = 20,
      minParkNanos: Long = 1000L,
      maxParkNanos: Long = 1000000L
  ) extends IdleStrategy {
    private[this] var count = 0
    private[this] var parkNanos = minParkNanos

    def idle(): Unit = {
      count += 1
      if (count <= spins) Thread.onSpinWait()
      else if (count <= spins + yields || Thread.currentThread.isInterrupted) Thread.`yield`()
      else {
        LockSupport.parkNanos(parkNanos)
        parkNanos = math.min(parkNanos * 2, maxParkNanos)
      }
    }

    def reset(): Unit = {
      count = 0
      parkNanos = minParkNanos
    }
  }
}

package io.scalegate.multiway

import io.scalegate.stream.{Lifecycle, TupleSource}

/** An aggregate under way that leaves idle inputs out. */
final class IdleAwareAggregate[K, R] private[scalegate] (
    aggregate: RunningAggregate[K, R],
    idleness: Idleness
) extends RunningAggregate[K, R] {
  /*
   * An input's own thread reads no clock: it counts what it says. The consumer compares the
   * counts when a poll finds nothing, which is when somebody may be held back, and reads the
   * clock then, once.
   *
   * One thread at a time may use a source, and to promise for an idle input the consumer has to.
   * So each input has a hold, which its thread takes for each call and the consumer only tries
   * for: neither waits for the other's work. A tuple that meets the consumer's hold is refused
   * as by a source that is full; `advance` and `close` wait for the length of an `advance`. The
   * user's code is called without the hold: for as long as it takes, the input is one that says
   * nothing.
   *
   * With the hold the consumer looks at the count again: an input that has spoken since is not
   * idle. What is promised for the input, and the order of what it delivered, are plain, passed
   * on with the hold. The promise that others read is stored with release after the source has
   * it, so it is never above what the source has.
   */
  private[this] val inputs =
    aggregate.sources.map(new IdleInput(_, idleness.onLate, ending.fail(_)))
  private[this] val since = Array.fill(inputs.size)(idleness.clock.getAsLong)

  def sources: IndexedSeq[TupleSource] = inputs

  def poll(): WindowResults[K, R] = {
    val results = aggregate.poll()
    if (results == null && leaveOut()) aggregate.poll() else results
  }

  /** Tuples that came too late so far. Any thread. */
  def lateTuples: Long = inputs.map(_.late.get).sum

  /** Whether the input is left out. The consumer's, of the last poll that found nothing. */
  def isIdle(input: Int): Boolean = inputs(input).isLeftOut

  def frontier: Long = aggregate.frontier
  def isDone: Boolean = aggregate.isDone
  def close(): Unit = aggregate.close()
  private[scalegate] def ending: Lifecycle = aggregate.ending

  /** Whether anything was promised for an idle input. */
  private[this] def leaveOut(): Boolean = listen(idleness.clock.getAsLong) && {
    val open = inputs.filter(!_.isClosed)
    val active = open.filter(!_.isLeftOut).map(_.promised.getAcquire)
    val time = if (active.isEmpty) inputs.map(_.promised.getAcquire).max else active.min
    open.filter(_.isLeftOut).map(_.promiseFor(time)).exists(identity)
  }

  /** Whether an open input is idle. */
  private[this] def listen(now: Long): Boolean = {
    var found = false
    var i = 0
    while (i < inputs.size) {
      val input = inputs(i)
      val count = input.count.getAcquire
      if (count != input.heard) {
        input.heard = count
        since(i) = now
      }
      input.isLeftOut = now - since(i) >= idleness.timeout
      found ||= input.isLeftOut && !input.isClosed
      i += 1
    }
    found
  }
}

package io.scalegate.aggregate

import java.util.concurrent.atomic.AtomicLong
import java.util.function.LongSupplier

import io.scalegate.stream.{Lifecycle, SpinLock, StreamTuple, TupleSource, WaitingSource}

/** When an input that says nothing no longer holds the others' results back.
  *
  * @param timeout
  *   nanoseconds of the clock
  * @param onLate
  *   gets each tuple that comes too late because of it, on the input's thread. The input is silent
  *   meanwhile, and nothing else waits for it. An exception from it ends the aggregate.
  * @param clock
  *   nanoseconds from any point on, never falling
  */
final case class Idleness(
    timeout: Long,
    onLate: StreamTuple => Unit = _ => (),
    clock: LongSupplier = () => System.nanoTime
) {
  require(timeout > 0, s"a timeout must be positive, not $timeout ns")
}

/** Any design, with inputs left out of the minimum that makes tuples ready once they have
  * delivered and promised nothing for a time.
  *
  * An input is idle when polls that found no result have seen it silent for the timeout or
  * longer. While it is idle it promises what the inputs that are not idle promise, the lowest of
  * them; when all are idle, the highest promise of all, so that everything delivered up to there
  * comes out. It is not idle any more when it delivers or advances. A tuple that it then delivers
  * before what was promised for it is late: counted, handed to `onLate`, and otherwise taken as
  * if it had not been there.
  *
  * What that does to determinism. The results are exactly those of the tuples that were not late,
  * in the same order as without a timeout; which tuples are late depends on when threads ran.
  * While no input is idle for the timeout, none is late and nothing depends on time. A tuple
  * is lost to the results only by way of `onLate`.
  */
final class IdleTimeout(design: AggregateDesign, idleness: Idleness) extends AggregateDesign {
  def name: String = s"${design.name} with an idle timeout"

  override def open[K, S <: AnyRef, R](
      spec: AggregateSpec[K, S, R],
      inputs: Int,
      options: AggregateOptions = AggregateOptions()
  ): IdleAwareAggregate[K, R] =
    new IdleAwareAggregate(design.open(spec, inputs, options), idleness)

  override def openSequences[K, S <: AnyRef, R](
      spec: SequenceSpec[K, S, R],
      inputs: Int,
      options: AggregateOptions = AggregateOptions()
  ): IdleAwareAggregate[K, R] =
    new IdleAwareAggregate(design.openSequences(spec, inputs, options), idleness)
}

/** An aggregate under way that leaves idle inputs out. */
final class IdleAwareAggregate[K, R] private[aggregate] (
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
  private[aggregate] def ending: Lifecycle = aggregate.ending

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

/** One input: its thread's calls, and the consumer's promises for it. */
final private class IdleInput(
    source: TupleSource,
    onLate: StreamTuple => Unit,
    fail: Throwable => Unit
) extends WaitingSource {
  private[this] val hold = new SpinLock
  private[this] val order = new InputOrder(source.id)
  private[this] var before = Long.MinValue // what is earlier is late

  /** How often the input's thread has said something, or tried to. */
  val count = new AtomicLong

  /** The last time delivered or promised, by whomever. */
  val promised = new AtomicLong(Long.MinValue)

  /** The consumer's: what it has seen of the count, and what it makes of it. */
  var heard = 0L
  var isLeftOut = false

  val late = new AtomicLong
  @volatile private[this] var closed = false

  def id: Int = source.id
  def isClosed: Boolean = closed

  def tryAdd(t: StreamTuple): Boolean = hold.tryAcquire() && {
    var isLate = false
    val isTaken =
      try {
        isLate = t != null && t.source == id && t.ts < before && !closed
        if (isLate) passOver(t) else deliver(t)
      } finally hold.release()
    if (isLate) hand(t)
    isTaken
  }

  def advance(ts: Long): Unit = holding {
    source.advance(ts)
    order.promise(ts)
    say(ts)
  }

  def close(): Unit = holding {
    closed = true
    source.close()
  }

  /** Promises for an input that has said nothing since it was heard. The consumer's. Whether it
    * was anything new.
    */
  def promiseFor(time: Long): Boolean =
    time > promised.getPlain && hold.tryAcquire() && {
      try {
        val isSilent = !closed && count.getPlain == heard
        if (isSilent) {
          source.advance(time)
          before = time
          promised.setRelease(math.max(promised.getPlain, time))
        }
        isSilent
      } finally hold.release()
    }

  override def toString: String = source.toString

  private[this] def passOver(t: StreamTuple): Boolean = {
    source.advance(before) // says nothing new, but throws if the aggregate has ended
    order.check(t)
    order.delivered(t)
    say(before)
    late.incrementAndGet()
    true
  }

  private[this] def deliver(t: StreamTuple): Boolean = {
    val isAdded = source.tryAdd(t)
    if (isAdded) order.delivered(t)
    say(if (isAdded) t.ts else Long.MinValue)
    isAdded
  }

  private[this] def hand(t: StreamTuple): Unit =
    try onLate(t)
    catch {
      case e: Throwable =>
        fail(e)
        throw e
    }

  private[this] def say(ts: Long): Unit = {
    if (ts > promised.getPlain) promised.setRelease(ts)
    count.setRelease(count.getPlain + 1)
  }

  private[this] def holding(body: => Unit): Unit = {
    hold.acquire()
    try body
    finally hold.release()
  }
}

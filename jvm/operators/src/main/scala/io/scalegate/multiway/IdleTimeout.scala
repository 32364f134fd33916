package io.scalegate.multiway

import java.util.concurrent.atomic.AtomicLong

import io.scalegate.stream.{SpinLock, StreamTuple, TupleSource, WaitingSource}

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

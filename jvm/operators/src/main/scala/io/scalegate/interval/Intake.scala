package io.scalegate.interval

import java.util.PriorityQueue

import io.scalegate.column.WindowLimitException
import io.scalegate.stream.{EventOrder, StreamTuple}

/** How a replica takes what its input gate hands out. One thread at a time. */
abstract private[interval] class Intake {

  /** Takes the gate's next element, or a heartbeat. */
  def take(element: StreamTuple): Unit

  /** The gate has no more elements. */
  def end(): Unit

  /** The last element, or heartbeat, for which every result was given: no more come for it or for what sorts
    * before it. Null at first.
    */
  def passed: StreamTuple
}

/** The gate's order is that of event times. */
final private[interval] class OrderedIntake(steps: IntervalSteps) extends Intake {
  private[this] var last: StreamTuple = _

  def take(element: StreamTuple): Unit = {
    if (!element.isHeartbeat) steps.step(element, element)
    last = element
  }

  def end(): Unit = ()

  def passed: StreamTuple = last
}

/** The gate's elements are [[Arrival]]s, which join as they come. */
final private[interval] class UnorderedIntake(steps: IntervalSteps) extends Intake {
  private[this] var last: StreamTuple = _

  def take(element: StreamTuple): Unit = {
    if (!element.isHeartbeat) steps.step(element, Arrival.tuple(element))
    last = element
  }

  def end(): Unit = ()

  def passed: StreamTuple = last
}

/** The gate's elements are [[Arrival]]s, and a reorder buffer holds them until the watermark has
  * passed them: then they join in the order of event times.
  *
  * Every replica has the whole of the buffer, as references: all have to see each tuple in order
  * to agree on who stores it.
  *
  * @param maxRows
  *   the most tuples in the buffer
  */
final private[interval] class ReorderedIntake(steps: IntervalSteps, maxRows: Int)
    extends Intake {
  private[this] val buffer =
    new PriorityQueue[StreamTuple](64, (a, b) => EventOrder.Tuples.compare(a, b))
  private[this] var last: StreamTuple = _

  def take(element: StreamTuple): Unit = {
    // Another source may still deliver a tuple at the watermark that sorts before those here.
    while (!buffer.isEmpty && buffer.peek.ts < element.ts) step()
    if (element.isHeartbeat) last = element
    else {
      if (buffer.size >= maxRows) throw new WindowLimitException(buffer.size, maxRows)
      buffer.add(Arrival.tuple(element))
    }
  }

  def end(): Unit = while (!buffer.isEmpty) step()

  def passed: StreamTuple = last

  private[this] def step(): Unit = {
    val t = buffer.poll()
    steps.step(t, t)
    last = t
  }
}

/** A tuple that may be out of order, as an element of a gate: at the time of its source's
  * watermark, and numbered by its arrival in the source. So elements are in order within each
  * source, all replicas get them in one order, and when one is ready no tuple is to come whose
  * own time is before the element's: the element's time is the watermark of the whole.
  */
private[interval] object Arrival {
  def apply(watermark: Long, number: Long, t: StreamTuple): StreamTuple =
    new StreamTuple(watermark, t.source, number, t.side, t.attrs, t)

  def tuple(element: StreamTuple): StreamTuple = element.row.asInstanceOf[StreamTuple]
}

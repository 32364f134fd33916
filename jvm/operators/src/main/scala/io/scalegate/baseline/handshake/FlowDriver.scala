package io.scalegate.baseline.handshake

import io.scalegate.baseline.NumberedWindow
import io.scalegate.join.JoinSpec
import io.scalegate.join.ordered.ReadyInput
import io.scalegate.stream.{Side, SpscRing, StreamTuple, Work}

/** Feeds both ends of a [[FlowJoin]]'s chain with the ready tuples, in their order, and with word
  * of the windows, which heartbeats slide too. One thread.
  *
  * @param left
  *   where R enters
  * @param right
  *   where S enters
  */
final private[baseline] class FlowDriver(
    spec: JoinSpec,
    input: ReadyInput,
    left: SpscRing[FlowMessage],
    right: SpscRing[FlowMessage]
) extends Work("scalegate-join-driver") {
  private[this] val r = new NumberedWindow(Side.R, spec, Vector.empty, Int.MaxValue)
  private[this] val s = new NumberedWindow(Side.S, spec, Vector.empty, Int.MaxValue)
  private[this] val ofR = new Flow(r, left)
  private[this] val ofS = new Flow(s, right)
  private[this] var last: StreamTuple = _
  private[this] var ended = false

  def isFinished: Boolean = ended && ofR.isEmpty && ofS.isEmpty

  def step(): Boolean = {
    val sentR = ofR.send()
    val sentS = ofS.send()
    val took = ofR.isEmpty && ofS.isEmpty && !ended && next()
    sentR || sentS || took
  }

  private[this] def next(): Boolean = {
    val t = input.next()
    if (t == null) {
      ended = input.isDone
      if (ended) for (flow <- Seq(ofR, ofS)) flow.put(FlowMark.end(last))
      else for (flow <- Seq(ofR, ofS)) mark(flow, 1)
    } else if (t.isHeartbeat) slide(t)
    else if (t.side eq Side.R) deliver(t, ofR, ofS)
    else deliver(t, ofS, ofR)
    t != null || ended
  }

  private[this] def deliver(t: StreamTuple, own: Flow, opposite: Flow): Unit = {
    val until = opposite.window.reach(t)
    val first = opposite.window.first
    val number = own.window.seen
    own.window.take(t)
    r.drop()
    s.drop()
    last = t
    own.put(new FlowTuple(t, number, first, until, r.first, s.first, own.oldest(t)))
    opposite.since += 1
    mark(opposite, FlowDriver.MarkEvery)
  }

  private[this] def slide(heartbeat: StreamTuple): Unit = {
    last = heartbeat
    for (flow <- Seq(ofR, ofS)) flow.window.pass(heartbeat.ts)
    for (flow <- Seq(ofR, ofS)) mark(flow, 0)
  }

  /** Tells a flow of the windows if it has not been told for so many tuples. */
  private[this] def mark(flow: Flow, after: Int): Unit =
    if (flow.since >= after)
      flow.put(new FlowMark(last, r.first, s.first, flow.oldest(last), false))
}

private object FlowDriver {

  /** Tuples of one stream after which the other's flow is told of the windows. */
  val MarkEvery = 8
}

/** The driver's end of a stream's flow, and what waits there for room in it. */
final private class Flow(val window: NumberedWindow, entry: SpscRing[FlowMessage]) {
  private[this] var waiting: FlowMessage = _

  /** Tuples of the other stream since the flow's last message. */
  var since = 0

  def isEmpty: Boolean = waiting == null

  /** Only while it is empty. */
  def put(message: FlowMessage): Unit = {
    waiting = message
    since = 0
    send()
    ()
  }

  /** Whether something that was waiting is on its way now. */
  def send(): Boolean = waiting != null && {
    val isSent = entry.offer(waiting)
    if (isSent) waiting = null
    isSent
  }

  /** The time of the oldest tuple in the window; of `now` if there is none. */
  def oldest(now: StreamTuple): Long =
    if (window.columns.isEmpty) now.ts else window.row(window.dropped).ts
}

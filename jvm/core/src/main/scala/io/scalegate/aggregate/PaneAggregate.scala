package io.scalegate.aggregate

import java.util.{ArrayList, HashMap, Map, TreeMap}

import io.scalegate.stream.{SlidingWindows, StreamTuple, TupleSource}

/** Any design on panes: it updates one window for each tuple, the tuple's pane, and the consumer makes each
  * window's result from its panes, so that the cost of a tuple does not grow with `size / advance`. Past the
  * paper, whose designs update every window that a tuple falls into. Order-sensitive functions are served as
  * the design under it serves them: panes are merged in their order.
  */
final class PaneAggregate(design: AggregateDesign) extends AggregateDesign {
  def name: String = s"panes over ${design.name}"

  def open[K, S <: AnyRef, R](
      spec: AggregateSpec[K, S, R],
      inputs: Int,
      options: AggregateOptions
  ): RunningAggregate[K, R] = {
    val states = AggregateSpec(
      SlidingWindows.tumbling(spec.windows.pane),
      spec.key,
      new StatesOf(spec.function)
    )
    new CombinedPanes(spec, design.open(states, inputs, options))
  }
}

/** A function whose result is its state, which nobody else uses then. */
final private class StatesOf[S <: AnyRef](function: AggregateFunction[StreamTuple, S, _])
    extends AggregateFunction[StreamTuple, S, S] {
  def name: String = function.name
  override def isOrderSensitive: Boolean = function.isOrderSensitive
  def create(): S = function.create()
  def add(state: S, t: StreamTuple): S = function.add(state, t)
  def merge(a: S, b: S): S = function.merge(a, b)
  def result(state: S): S = state
}

final private class CombinedPanes[K, S <: AnyRef, R](
    spec: AggregateSpec[K, S, R],
    panes: RunningAggregate[K, S]
) extends RunningAggregate[K, R] {
  /*
   * Between two polls `keys` holds those keys that have a pane in a window that is still to be taken. A pane
   * comes when it is complete; before it is added, every window that ends before it is taken. So all panes
   * that are held lie in the next window or in windows after it, and the next window's results are those
   * of the keys whose next window it is.
   *
   * When no pane comes, the panes' frontier tells how far windows are complete all the same: their last
   * panes may be empty.
   */
  private[this] val windows = spec.windows
  private[this] val keys: Map[K, PaneWindows[S, R]] =
    spec.keyOrder.fold[Map[K, PaneWindows[S, R]]](new HashMap)(new TreeMap(_))
  private[this] var pending: WindowResults[K, S] = _
  private[this] var next = 0L // the least start of `keys`' next windows, if it is known
  private[this] var isNextKnown = false
  @volatile private[this] var failure: Throwable = _

  def sources: IndexedSeq[TupleSource] = panes.sources

  def poll(): WindowResults[K, R] = {
    if (failure != null) throw failure
    try take()
    catch {
      case e: Throwable =>
        fail(e)
        throw e
    }
  }

  def frontier: Long =
    if (isDone) Long.MaxValue
    else {
      val time = if (pending == null) panes.frontier else pending.start
      if (keys.isEmpty) time else math.min(time, windows.end(nextStart))
    }

  def isDone: Boolean = failure == null && pending == null && keys.isEmpty && panes.isDone

  def close(): Unit = panes.close()

  private[aggregate] def fail(e: Throwable): Unit = {
    failure = e
    panes.fail(e)
  }

  private[this] def take(): WindowResults[K, R] = {
    var results: WindowResults[K, R] = null
    var more = true
    while (more) {
      if (pending == null) pending = panes.poll()
      if (pending != null) {
        results = takeBefore(pending.start)
        if (results == null) addPending()
        more = results == null
      } else {
        results = takeAtRest()
        more = false
      }
    }
    results
  }

  private[this] def addPending(): Unit = {
    var i = 0
    while (i < pending.size) {
      val key = pending.key(i)
      var of = keys.get(key)
      if (of == null) {
        of = new PaneWindows[S, R](windows, spec.function)
        keys.put(key, of)
      }
      of.add(pending.start, pending.value(i))
      if (of.isEmpty) keys.remove(key)
      i += 1
    }
    pending = null
  }

  private[this] def takeAtRest(): WindowResults[K, R] = {
    val time = panes.frontier
    if (keys.isEmpty) null
    else if (panes.isDone) takeNext()
    else takeBefore(time)
  }

  /** The results of the next window if it ends before `time`; else null. */
  private[this] def takeBefore(time: Long): WindowResults[K, R] =
    if (keys.isEmpty || windows.end(nextStart) >= time) null else takeNext()

  private[this] def nextStart: Long = {
    if (!isNextKnown) {
      next = Long.MaxValue
      keys.values.forEach(k => next = math.min(next, k.nextStart))
      isNextKnown = true
    }
    next
  }

  private[this] def takeNext(): WindowResults[K, R] = {
    val start = nextStart
    val found = new ArrayList[AnyRef]
    val values = new ArrayList[AnyRef]
    val all = keys.entrySet.iterator
    while (all.hasNext) {
      val entry = all.next()
      val of = entry.getValue
      if (of.nextStart == start) {
        found.add(entry.getKey.asInstanceOf[AnyRef])
        values.add(of.take().asInstanceOf[AnyRef])
        if (of.isEmpty) all.remove()
      }
    }
    isNextKnown = false
    new WindowResults(start, windows.end(start), found.toArray, values.toArray)
  }
}

package io.scalegate.multiway

import java.util.{ArrayList, HashMap}

import io.scalegate.multiway.function.AggregateFunction
import io.scalegate.panes.PaneStates
import io.scalegate.stream.{RunningOperator, SlidingWindows, StreamTuple, TupleSource}

/** Any design on panes: it updates one window for each tuple, the tuple's pane, and the consumer
  * makes each window's result from its panes, so that the cost of a tuple does not grow with
  * `size / advance`. Past the paper, whose designs update every window that a tuple falls into.
  * Order-sensitive functions are served as the design under it serves them: panes are merged in
  * their order.
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

  def openSequences[K, S <: AnyRef, R](
      spec: SequenceSpec[K, S, R],
      inputs: Int,
      options: AggregateOptions
  ): RunningAggregate[K, R] =
    throw new IllegalArgumentException(
      "panes are pieces of time, which windows of tuples and sessions are not made of; use " +
        "TuMLSC or TuMLMC, where windows of tuples have panes of tuples"
    )
}

/** A function whose result is its state, which nobody else uses then. */
final private class StatesOf[S <: AnyRef](function: AggregateFunction[StreamTuple, S, _])
    extends AggregateFunction[StreamTuple, S, S] {
  def name: String = function.name
  override def isOrderSensitive: Boolean = function.isOrderSensitive
  override def isRounding: Boolean = function.isRounding
  def create(): S = function.create()
  def add(state: S, t: StreamTuple): S = function.add(state, t)
  def merge(a: S, b: S): S = function.merge(a, b)
  def result(state: S): S = state
}

final private class CombinedPanes[K, S <: AnyRef, R](
    spec: AggregateSpec[K, S, R],
    panes: RunningAggregate[K, S]
) extends RunningOperator[WindowResults[K, R]](panes.ending)
    with RunningAggregate[K, R] {
  /*
   * `states` finds a key's panes; `keys` and `all` are the same in two lists, which is what a
   * window goes through.
   *
   * Between two polls they hold those keys that have a pane in a window that is still to be
   * taken, and `next` is the first window with such a pane. A pane comes when it is complete;
   * before it is added, every window that ends before it is taken. So all panes that are held lie
   * in the next window or in later ones, and a key is in the next window if its oldest pane is.
   *
   * When no pane comes, the panes' frontier tells how far windows are complete all the same:
   * their last panes may be empty.
   */
  private[this] val windows = spec.windows
  private[this] val merging = new PaneMerging(spec.function)
  private[this] val states = new HashMap[K, PaneStates[S]]
  private[this] val keys = new ArrayList[AnyRef]
  private[this] val all = new ArrayList[PaneStates[S]]
  private[this] var pending: WindowResults[K, S] = _
  private[this] var next = 0L // a window's start; of no meaning while there are no keys

  def sources: IndexedSeq[TupleSource] = panes.sources

  override def close(): Unit = panes.close()

  protected def isExhausted: Boolean = pending == null && all.isEmpty && panes.isDone

  protected def reached: Long = {
    val time = if (pending == null) panes.frontier else pending.start
    if (all.isEmpty) time else math.min(time, windows.end(next))
  }

  protected def take(): WindowResults[K, R] = {
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
    val start = pending.start
    if (windows.count(start) > 0) {
      if (all.isEmpty) next = windows.first(start)
      var i = 0
      while (i < pending.size) {
        statesOf(pending.key(i)).push(start, pending.value(i))
        i += 1
      }
    }
    pending = null
  }

  private[this] def statesOf(key: K): PaneStates[S] = {
    var found = states.get(key)
    if (found == null) {
      found = merging.newPanes()
      states.put(key, found)
      keys.add(key.asInstanceOf[AnyRef])
      all.add(found)
    }
    found
  }

  private[this] def takeAtRest(): WindowResults[K, R] = {
    val time = panes.frontier
    if (all.isEmpty) null
    else if (panes.isDone) takeNext()
    else takeBefore(time)
  }

  /** The results of the next window if it ends before `time`; else null. */
  private[this] def takeBefore(time: Long): WindowResults[K, R] =
    if (all.isEmpty || windows.end(next) >= time) null else takeNext()

  private[this] def takeNext(): WindowResults[K, R] = {
    val found = new ArrayList[AnyRef](all.size)
    val values = new ArrayList[AnyRef](all.size)
    val start = next
    val end = windows.end(start)
    val isLast = start > Long.MaxValue - windows.advance
    val from = start + windows.advance
    var oldest = Long.MaxValue
    var i = 0
    while (i < all.size) {
      val panes = all.get(i)
      if (panes.oldest <= end) {
        found.add(keys.get(i))
        values.add(merging.result(panes).asInstanceOf[AnyRef])
        if (isLast) panes.clear() else panes.evictBefore(from)
      }
      if (panes.isEmpty) drop(i)
      else {
        oldest = math.min(oldest, panes.oldest)
        i += 1
      }
    }
    if (!all.isEmpty) next = math.max(from, windows.first(oldest))
    results(start, found.toArray, values.toArray)
  }

  private[this] def results(
      start: Long,
      found: Array[AnyRef],
      values: Array[AnyRef]
  ): WindowResults[K, R] = {
    spec.keyOrder.foreach(KeySort(_, found, values))
    new WindowResults(start, windows.end(start), found, values)
  }

  /** The last one takes the place. */
  private[this] def drop(i: Int): Unit = {
    states.remove(keys.get(i))
    val last = all.size - 1
    keys.set(i, keys.get(last))
    all.set(i, all.get(last))
    keys.remove(last)
    all.remove(last)
    ()
  }
}

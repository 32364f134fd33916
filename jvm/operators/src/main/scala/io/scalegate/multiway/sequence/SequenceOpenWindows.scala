package io.scalegate.multiway.sequence

import java.util.{ArrayDeque, HashMap, LinkedHashMap}

import io.scalegate.multiway.{OrderedWindows, SequenceSpec, SequenceWindows, WindowResults}
import io.scalegate.stream.{EventOrder, SaturatingMath, SlidingWindows, StreamTuple}

/** The windows of tuples of all keys: a window is over with its last tuple. */
final private[scalegate] class OpenTupleWindows[K, S <: AnyRef, R](
    spec: SequenceSpec[K, S, R],
    windows: SequenceWindows.Tuples
) extends OrderedWindows[SequenceResult[K, R]] {
  private[this] val pane = SlidingWindows(windows.size, windows.advance).pane
  private[this] val keys = new HashMap[K, KeyTuples]
  private[this] var ended: SequenceResult[K, R] = _ // by the last tuple added

  def add(t: StreamTuple): Unit = {
    val key = spec.key(t)
    val tuples = keys.computeIfAbsent(key, _ => new KeyTuples)
    if (tuples.add(t)) ended = new SequenceResult(t, tuples.first, key, tuples.result)
  }

  def take(horizon: Long): SequenceResult[K, R] = takeAny()

  def takeAny(): SequenceResult[K, R] = {
    val result = ended
    ended = null
    result
  }

  def firstEnd: Long = if (ended == null) Long.MaxValue else ended.last.ts

  def isEmpty: Boolean = ended == null

  /** A key's windows, and the times at which the panes of the next one begin. */
  final private[this] class KeyTuples {
    private[this] val tuples = new TupleWindows(windows.size, windows.advance, spec.function)
    private[this] val times = new ArrayDeque[java.lang.Long]
    private[this] var count = 0L

    /** Whether a window ends with the tuple; then its first tuple's time, and its result. */
    def add(t: StreamTuple): Boolean = {
      if (count % pane == 0) {
        times.addLast(t.ts)
        if (times.size > windows.size / pane) times.removeFirst()
      }
      count += 1
      tuples.add(t)
    }

    def first: Long = times.peekFirst
    def result: R = tuples.result
  }
}

/** The sessions of all keys, those first that end first. */
final private[scalegate] class OpenSessions[K, S <: AnyRef, R](
    spec: SequenceSpec[K, S, R],
    windows: SequenceWindows.Sessions
) extends OrderedWindows[SequenceResult[K, R]] {
  // In the order of the sessions' last tuples: all have the same gap, so it is that of their ends.
  private[this] val open = new LinkedHashMap[K, OpenSession[S]](16, 0.75f, true)

  /** Adds a tuple that sorts after all before. The sessions that it ends have been taken. */
  def add(t: StreamTuple): Unit = {
    val key = spec.key(t)
    val found = open.get(key) // which moves it behind all others
    if (found == null) {
      val state = spec.function.add(spec.function.create(), t)
      open.put(key, new OpenSession(t.ts, t, state))
    } else {
      found.last = t
      found.state = spec.function.add(found.state, t)
    }
    ()
  }

  def take(horizon: Long): SequenceResult[K, R] =
    if (isEmpty || SaturatingMath.subtract(horizon, firstEnd) < windows.gap) null
    else takeAny()

  def takeAny(): SequenceResult[K, R] =
    if (isEmpty) null
    else {
      val entries = open.entrySet.iterator
      val entry = entries.next()
      entries.remove()
      val session = entry.getValue
      val result = spec.function.result(session.state)
      new SequenceResult(session.last, session.first, entry.getKey, result)
    }

  def firstEnd: Long =
    if (isEmpty) Long.MaxValue else open.values.iterator.next().last.ts

  def isEmpty: Boolean = open.isEmpty
}

final private class OpenSession[S](val first: Long, var last: StreamTuple, var state: S)

/** One window's result, which stands in the order where the window's last tuple does. */
final private[scalegate] class SequenceResult[K, R](
    val last: StreamTuple,
    first: Long,
    key: K,
    value: R
) {
  def results: WindowResults[K, R] =
    new WindowResults(
      first,
      last.ts,
      Array(key.asInstanceOf[AnyRef]),
      Array(value.asInstanceOf[AnyRef])
    )
}

private[scalegate] object SequenceResult {

  /** The windows of a spec, of the keys that one thread has. */
  def windows[K, S <: AnyRef, R](
      spec: SequenceSpec[K, S, R]
  ): OrderedWindows[SequenceResult[K, R]] =
    spec.windows match {
      case w: SequenceWindows.Tuples => new OpenTupleWindows(spec, w)
      case w: SequenceWindows.Sessions => new OpenSessions(spec, w)
    }

  /** By the windows' last tuples. */
  final class Order[K, R] extends EventOrder[SequenceResult[K, R]] {
    def ts(r: SequenceResult[K, R]): Long = r.last.ts
    def compareTies(a: SequenceResult[K, R], b: SequenceResult[K, R]): Int =
      EventOrder.Tuples.compareTies(a.last, b.last)
    def key(r: SequenceResult[K, R]): SequenceResult[K, R] = keyOf(StreamTuple.key(r.last))
  }

  /** What stands in the order where this tuple does, without a result. */
  def keyOf[K, R](last: StreamTuple): SequenceResult[K, R] =
    new SequenceResult[K, R](last, 0L, null.asInstanceOf[K], null.asInstanceOf[R])
}

/** The windows of all keys, for one thread that has them all. */
final private[scalegate] class SequenceResults[K, S <: AnyRef, R](spec: SequenceSpec[K, S, R])
    extends OrderedWindows[WindowResults[K, R]] {
  private[this] val windows = SequenceResult.windows(spec)

  def add(t: StreamTuple): Unit = windows.add(t)
  def take(horizon: Long): WindowResults[K, R] = results(windows.take(horizon))
  def takeAny(): WindowResults[K, R] = results(windows.takeAny())
  def firstEnd: Long = windows.firstEnd
  def isEmpty: Boolean = windows.isEmpty

  private[this] def results(taken: SequenceResult[K, R]): WindowResults[K, R] =
    if (taken == null) null else taken.results
}

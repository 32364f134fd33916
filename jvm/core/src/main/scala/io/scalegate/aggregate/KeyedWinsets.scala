package io.scalegate.aggregate

import io.scalegate.gate.{WinsetUpdater, Winsets}
import io.scalegate.stream.StreamTuple

/** The winsets of a hive that is fed with stream tuples. A predicate of the function is asked once
  * for each tuple, not for each of its windows.
  *
  * @param isKeyOwned
  *   whether each key is one thread's
  */
final private[aggregate] class KeyedWinsets[K, S <: AnyRef, R](
    spec: AggregateSpec[K, S, R],
    threads: Int,
    isKeyOwned: Boolean
) extends Winsets[StreamTuple, Winset[StreamTuple, S]] {
  private[this] val lanes =
    if (isKeyOwned || threads == 1 || spec.function.isRounding) new OwnLanes(threads)
    else new SharedLanes(threads)
  private[this] val selective = spec.function match {
    case s: Selective[StreamTuple @unchecked, S @unchecked, R @unchecked] => s
    case _ => null
  }
  private[this] val function =
    if (selective == null) spec.function else selective.ofAccepted
  private[this] val maker = new ResultMaker(spec)
  @volatile private[this] var expected = 0 // the keys of a lane of the last winset taken

  def ts(t: StreamTuple): Long = t.ts

  def create(start: Long): Winset[StreamTuple, S] =
    new Winset(start, lanes.count, expected, function)

  def updater(thread: Int): WinsetUpdater[StreamTuple, Winset[StreamTuple, S]] =
    new WinsetUpdater[StreamTuple, Winset[StreamTuple, S]] {
      private[this] var tuple: StreamTuple = _
      private[this] var key: AnyRef = _
      private[this] var hash = 0
      private[this] var isAccepted = true
      private[this] var lane = 0

      def begin(t: StreamTuple): Unit = {
        tuple = t
        if (selective != null) isAccepted = selective.accepts(t)
        key = spec.key(t).asInstanceOf[AnyRef]
        hash = StateTable.hash(key)
        lane = lanes.enter(thread)
      }

      def update(w: Winset[StreamTuple, S]): Unit =
        if (isAccepted) w.add(lane, key, hash, tuple) else w.touch(lane, key, hash)

      def end(): Unit = lanes.leave(lane)
    }

  /** The results of a winset that was taken; null for none. The consumer's. */
  def results(winset: Winset[StreamTuple, S]): WindowResults[K, R] =
    if (winset == null) null
    else {
      expected = winset.mostKeys
      maker(winset.start, if (isKeyOwned) winset.byLane else Array(winset.states()))
    }
}

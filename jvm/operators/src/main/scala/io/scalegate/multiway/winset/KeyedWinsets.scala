package io.scalegate.multiway.winset

import io.scalegate.gate.{WHive, WinsetUpdater, Winsets}
import io.scalegate.multiway.function.{
  AggregateFunction,
  LaneStates,
  Selective,
  StateLayout,
  StateTable
}
import io.scalegate.multiway.{AggregateOptions, AggregateSpec, ResultMaker, WindowResults}
import io.scalegate.stream.StreamTuple

/** The winsets of a hive that is fed with stream tuples. The predicate of a filtered function
  * is asked once for each tuple, not for each of its windows.
  */
abstract private[scalegate] class KeyedWinsets[K, S <: AnyRef, R, W <: AnyRef](
    spec: AggregateSpec[K, S, R]
) extends Winsets[StreamTuple, W] {
  final private[this] val selective = spec.function match {
    case s: Selective[StreamTuple @unchecked, S @unchecked, R @unchecked] => s
    case _ => null
  }
  final protected val function: AggregateFunction[StreamTuple, S, R] =
    if (selective == null) spec.function else selective.ofAccepted
  final protected val maker = new ResultMaker(spec)
  @volatile protected var expected = 0 // the keys of a table of the last winset taken

  /** The results of a winset that was taken; null for none. The consumer's. */
  final def taken(winset: W): WindowResults[K, R] =
    if (winset == null) null else results(winset)

  protected def results(winset: W): WindowResults[K, R]

  final def ts(t: StreamTuple): Long = t.ts

  final def hive(options: AggregateOptions, threads: Int): WHive[StreamTuple, W] =
    new WHive(spec.windows, this, threads, options.winsetCapacity, options.shortcuts)

  /** Asks for each tuple's key, and whether the function accepts it, once. */
  abstract protected class KeyedUpdater extends WinsetUpdater[StreamTuple, W] {
    final def update(t: StreamTuple): Unit = {
      val isAccepted = selective == null || selective.accepts(t)
      val key = spec.key(t).asInstanceOf[AnyRef]
      update(key, StateTable.hash(key), t, isAccepted)
    }

    /** Adds a tuple of the key or, if the function passes over it, has the key; `hash` is
      * [[StateTable.hash]] of it.
      */
    protected def update(key: AnyRef, hash: Int, t: StreamTuple, isAccepted: Boolean): Unit
  }
}

/** Winsets with a table for each lane.
  *
  * @param isKeyOwned
  *   whether each key is one thread's
  */
abstract private[scalegate] class LanedWinsets[K, S <: AnyRef, R, W <: AnyRef](
    spec: AggregateSpec[K, S, R],
    threads: Int,
    isKeyOwned: Boolean
) extends KeyedWinsets[K, S, R, W](spec) {
  final protected val lanes: Lanes =
    if (isKeyOwned || threads == 1 || spec.function.isRounding) new OwnLanes(threads)
    else new SharedLanes(threads)

  /** Adds each tuple in a lane. */
  abstract protected class LaneUpdater(thread: Int) extends KeyedUpdater {
    final protected def update(
        key: AnyRef,
        hash: Int,
        t: StreamTuple,
        isAccepted: Boolean
    ): Unit = {
      val lane = lanes.enter(thread)
      if (isAccepted) add(lane, key, hash, t) else touch(lane, key, hash)
      lanes.leave(lane)
    }

    /** Adds a tuple of the key; `hash` is [[StateTable.hash]] of it. */
    protected def add(lane: Int, key: AnyRef, hash: Int, t: StreamTuple): Unit

    /** Has the key, with a tuple that the function passes over. */
    protected def touch(lane: Int, key: AnyRef, hash: Int): Unit
  }
}

private[scalegate] object KeyedWinsets {
  def apply[K, S <: AnyRef, R](
      spec: AggregateSpec[K, S, R],
      threads: Int,
      isKeyOwned: Boolean
  ): KeyedWinsets[K, S, R, _ <: AnyRef] =
    if (spec.windows.size <= spec.windows.advance) new ApartWinsets(spec, threads, isKeyOwned)
    else overlapping(
      spec,
      ofAccepted(spec.function).layout(spec.windows.overlap),
      threads,
      isKeyOwned
    )

  private def overlapping[K, S <: AnyRef, R, L <: LaneStates[StreamTuple]](
      spec: AggregateSpec[K, S, R],
      layout: StateLayout[StreamTuple, L],
      threads: Int,
      isKeyOwned: Boolean
  ): KeyedWinsets[K, S, R, _ <: AnyRef] =
    new OverlappingWinsets(spec, layout, threads, isKeyOwned)

  private def ofAccepted[S <: AnyRef, R](
      function: AggregateFunction[StreamTuple, S, R]
  ): AggregateFunction[StreamTuple, S, R] = function match {
    case s: Selective[StreamTuple @unchecked, S @unchecked, R @unchecked] => s.ofAccepted
    case f => f
  }
}

/** Of windows that do not overlap: a table in each. */
final private[scalegate] class ApartWinsets[K, S <: AnyRef, R](
    spec: AggregateSpec[K, S, R],
    threads: Int,
    isKeyOwned: Boolean
) extends LanedWinsets[K, S, R, Winset[StreamTuple, S]](spec, threads, isKeyOwned) {
  def create(start: Long): Winset[StreamTuple, S] =
    new Winset(start, lanes.count, expected, function)

  def updater(thread: Int): WinsetUpdater[StreamTuple, Winset[StreamTuple, S]] =
    new LaneUpdater(thread) {
      private[this] var winset: Winset[StreamTuple, S] = _

      def enter(w: Winset[StreamTuple, S]): Unit = winset = w
      def leave(): Unit = winset = null

      protected def add(lane: Int, key: AnyRef, hash: Int, t: StreamTuple): Unit =
        winset.add(lane, key, hash, t)

      protected def touch(lane: Int, key: AnyRef, hash: Int): Unit =
        winset.touch(lane, key, hash)
    }

  protected def results(winset: Winset[StreamTuple, S]): WindowResults[K, R] = {
    expected = winset.mostKeys
    maker(winset.start, if (isKeyOwned) winset.byLane else Array(winset.states()))
  }
}

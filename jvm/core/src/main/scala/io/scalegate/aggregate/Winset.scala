package io.scalegate.aggregate

import io.scalegate.gate.{WinsetUpdater, Winsets}
import io.scalegate.stream.StreamTuple

/** The windows of one time interval, for all keys, in a hive (multiway aggregation, §2, §5.2). */
final private[scalegate] class Winset[T, S <: AnyRef](val start: Long, threads: Int) {
  /*
   * A table for each thread that updates it, made when the thread first does. So threads share nothing
   * while they update, neither a table nor a state, and no update is lost; what they have is merged,
   * in the order of the threads, by the one who takes the winset, when the hive has published it. The
   * paper shares one table among threads (Michael's lists, §5.2), and leaves to the function how a
   * state is updated by several. Where it matters, with many inputs and a hot key, every update then is
   * of the same state: a lock, or a compare-and-set and a new state.
   *
   * The order of the threads also makes what floating-point functions give the same in every run: a
   * thread adds its input's tuples in their order.
   */
  private[this] val tables = new Array[StateTable[T, S]](threads)

  /** The thread's own table. */
  def table(thread: Int, function: AggregateFunction[T, S, _]): StateTable[T, S] = {
    if (tables(thread) == null) tables(thread) = new StateTable[T, S](function)
    tables(thread)
  }

  /** What all threads have added, in one table. Once, by the one who took the winset. */
  def merged(): StateTable[T, S] = {
    var all: StateTable[T, S] = null
    tables.foreach { t =>
      if (all == null) all = t else if (t != null) all.absorb(t)
    }
    all
  }
}

/** The winsets of a hive that is fed with stream tuples. */
final private[aggregate] class KeyedWinsets[K, S <: AnyRef](
    spec: AggregateSpec[K, S, _],
    threads: Int
) extends Winsets[StreamTuple, Winset[StreamTuple, S]] {
  def ts(t: StreamTuple): Long = t.ts

  def create(start: Long): Winset[StreamTuple, S] = new Winset(start, threads)

  def updater(thread: Int): WinsetUpdater[StreamTuple, Winset[StreamTuple, S]] =
    new WinsetUpdater[StreamTuple, Winset[StreamTuple, S]] {
      private[this] var tuple: StreamTuple = _
      private[this] var key: Any = _
      private[this] var hash = 0

      def begin(t: StreamTuple): Unit = {
        tuple = t
        key = spec.key(t)
        hash = StateTable.hash(key)
      }

      def update(w: Winset[StreamTuple, S]): Unit =
        w.table(thread, spec.function).add(key, hash, tuple)
    }
}

/** Turns a table of states into results. */
final private[aggregate] class ResultMaker[K, S <: AnyRef, R](spec: AggregateSpec[K, S, R]) {
  private[this] val order =
    spec.keyOrder.map(_.asInstanceOf[Ordering[AnyRef]]).orNull

  def apply(start: Long, table: StateTable[StreamTuple, S]): WindowResults[K, R] = {
    val keys = new Array[AnyRef](table.size)
    val values = new Array[AnyRef](table.size)
    var i = 0
    table.foreach { (key, state) =>
      keys(i) = key.asInstanceOf[AnyRef]
      values(i) = state
      i += 1
    }
    if (order != null) sort(keys, values)
    i = 0
    while (i < values.length) {
      values(i) = spec.function.result(values(i).asInstanceOf[S]).asInstanceOf[AnyRef]
      i += 1
    }
    new WindowResults[K, R](start, spec.windows.end(start), keys, values)
  }

  private[this] def sort(keys: Array[AnyRef], values: Array[AnyRef]): Unit = {
    val places = Array.tabulate[Integer](keys.length)(Integer.valueOf(_))
    java.util.Arrays.sort(places, (a: Integer, b: Integer) => order.compare(keys(a), keys(b)))
    val oldKeys = keys.clone()
    val oldValues = values.clone()
    var i = 0
    while (i < places.length) {
      keys(i) = oldKeys(places(i))
      values(i) = oldValues(places(i))
      i += 1
    }
  }
}

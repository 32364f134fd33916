package io.scalegate.multiway.winset

import java.util.ArrayList

import io.scalegate.gate.WinsetUpdater
import io.scalegate.multiway.{AggregateSpec, WindowResults}
import io.scalegate.stream.StreamTuple

/** Winsets each of which is one table that all threads add to, as in the paper: a tuple's key is
  * looked up in every window of it.
  */
final private[scalegate] class SharedWinsets[K, S <: AnyRef, R](
    spec: AggregateSpec[K, S, R]
) extends KeyedWinsets[K, S, R, SharedTable[StreamTuple, S]](spec) {
  def create(start: Long): SharedTable[StreamTuple, S] =
    new SharedTable(start, expected, function)

  def updater(thread: Int): WinsetUpdater[StreamTuple, SharedTable[StreamTuple, S]] =
    new KeyedUpdater {
      private[this] val winsets = new ArrayList[SharedTable[StreamTuple, S]]

      def enter(w: SharedTable[StreamTuple, S]): Unit = {
        winsets.add(w)
        ()
      }

      def leave(): Unit = winsets.clear()

      protected def update(key: AnyRef, hash: Int, t: StreamTuple, isAccepted: Boolean): Unit = {
        var i = 0
        while (i < winsets.size) {
          if (isAccepted) winsets.get(i).add(key, hash, t) else winsets.get(i).touch(key, hash)
          i += 1
        }
      }
    }

  protected def results(winset: SharedTable[StreamTuple, S]): WindowResults[K, R] = {
    val (keys, values) = (new ArrayList[AnyRef], new ArrayList[AnyRef])
    winset.foreach { (key, state) =>
      keys.add(key)
      values.add(function.result(state).asInstanceOf[AnyRef])
      ()
    }
    expected = keys.size
    maker.ofResults(winset.start, keys.toArray, values.toArray)
  }
}

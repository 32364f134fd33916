package io.scalegate.gate

import io.scalegate.stream.SlidingWindows

/** A winset of plain lists, one for each thread: what a thread adds is found by who takes it, or
  * the hive has not published it.
  */
final class ListedWinset(val start: Long, threads: Int) {
  private val added = Array.fill(threads)(List.empty[Long])
  def add(thread: Int, ts: Long): Unit = added(thread) = ts :: added(thread)
  def contents: Vector[List[Long]] = added.map(_.reverse).toVector
  override def toString: String = s"$start: ${contents.map(_.mkString(",")).mkString("|")}"
}

object ListedWinset {
  type Hive = WHive[java.lang.Long, ListedWinset]

  def hive(windows: SlidingWindows, threads: Int, capacity: Int = 1000): Hive =
    new WHive[java.lang.Long, ListedWinset](windows, new Keeper(threads), threads, capacity)

  final private class Keeper(threads: Int) extends Winsets[java.lang.Long, ListedWinset] {
    def ts(t: java.lang.Long): Long = t
    def create(start: Long): ListedWinset = new ListedWinset(start, threads)
    def updater(thread: Int): WinsetUpdater[java.lang.Long, ListedWinset] =
      new WinsetUpdater[java.lang.Long, ListedWinset] {
        private var entered = Vector.empty[ListedWinset]
        def enter(w: ListedWinset): Unit = entered :+= w
        def update(t: java.lang.Long): Unit = entered.foreach(_.add(thread, t))
        def leave(): Unit = entered = Vector.empty
      }
  }
}

/** The definition, literally: what each thread has promised, and what fell into each window. */
final class HiveDefinition(windows: SlidingWindows, threads: Int) {
  private var winsets = Map.empty[Long, ListedWinset]
  private val promised = Array.fill(threads)(Long.MinValue)
  private val open = Array.fill(threads)(true)

  def update(ts: Long, thread: Int): Unit = {
    for (i <- 0L until windows.count(ts)) {
      val start = windows.first(ts) + i * windows.advance
      if (!winsets.contains(start)) winsets += start -> new ListedWinset(start, threads)
      winsets(start).add(thread, ts)
    }
    promised(thread) = ts
  }

  def advance(thread: Int, ts: Long): Unit = promised(thread) = math.max(promised(thread), ts)

  def close(thread: Int): Unit = open(thread) = false

  def take(): Option[ListedWinset] =
    winsets.keys.minOption.filter(isComplete).map { start =>
      val taken = winsets(start)
      winsets -= start
      taken
    }

  def isDone: Boolean = !open.contains(true) && winsets.isEmpty

  private def isComplete(start: Long): Boolean =
    (0 until threads).forall(t => !open(t) || promised(t) > windows.end(start))
}

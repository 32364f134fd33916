package io.scalegate.gate

import io.scalegate.stream.SlidingWindows

/** A winset that lists its times, for each thread: what a thread adds is found by who takes it, or
  * the hive has not published it. Written plainly, since Lincheck instruments each step.
  */
final class ListedWinset(val start: Long, threads: Int) {
  private val added = new Array[String](threads)

  def add(thread: Int, ts: Long): Unit = {
    val before = added(thread)
    added(thread) = if (before == null) ts.toString else before + "," + ts
  }

  override def toString: String = {
    val all = new java.lang.StringBuilder().append(start).append(": ")
    var thread = 0
    while (thread < threads) {
      if (thread > 0) all.append('|')
      if (added(thread) != null) all.append(added(thread))
      thread += 1
    }
    all.toString
  }
}

object ListedWinset {
  type Hive = WHive[java.lang.Long, ListedWinset]

  def hive(
      windows: SlidingWindows,
      threads: Int,
      capacity: Int = 1000,
      shortcuts: Boolean = false
  ): Hive =
    new WHive[java.lang.Long, ListedWinset](
      windows,
      keeper(threads),
      threads,
      capacity,
      shortcuts
    )

  /** @param beforeCreation
    *   called before a winset is made
    */
  def keeper(
      threads: Int,
      beforeCreation: () => Unit = () => ()
  ): Winsets[java.lang.Long, ListedWinset] = new Winsets[java.lang.Long, ListedWinset] {
    def ts(t: java.lang.Long): Long = t
    def create(start: Long): ListedWinset = {
      beforeCreation()
      new ListedWinset(start, threads)
    }
    def updater(thread: Int): WinsetUpdater[java.lang.Long, ListedWinset] =
      new WinsetUpdater[java.lang.Long, ListedWinset] {
        private val entered = new java.util.ArrayList[ListedWinset]
        def enter(w: ListedWinset): Unit = entered.add(w)
        def update(t: java.lang.Long): Unit = {
          var i = 0
          while (i < entered.size) {
            entered.get(i).add(thread, t)
            i += 1
          }
        }
        def leave(): Unit = entered.clear()
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

package io.scalegate.bench.gate

import io.scalegate.gate.{WHive, WinsetUpdater, Winsets}
import io.scalegate.stream.SlidingWindows

/** What the shortcuts of a W-Hive save and cost (multiway aggregation §5.6): a thread makes a number of windows while
  * another is silent, and then this one brings a tuple of the last of them. Both forms of the list go round by round in
  * turn. Prints one line of JSON for each form and number of windows: the median of the nanoseconds that the silent
  * thread's tuple took, and the nanoseconds that it took to make a window and to take it, means.
  *
  * Arguments: how many windows are made in all for each measurement, and the numbers of windows.
  */
object HiveCatchUpMain {
  private[this] val MostRounds = 20000

  def main(args: Array[String]): Unit = {
    if (args.length < 2) {
      System.err.println("arguments: WINDOWS_IN_ALL WINDOWS_BEHIND ...")
      sys.exit(2)
    }
    for (behind <- args.tail.map(_.toInt)) {
      val rounds = math.min(MostRounds, math.max(11, args.head.toInt / behind))
      val forms =
        Seq("list" -> new Rounds(behind, false), "skip list" -> new Rounds(behind, true))
      for (_ <- 0 until rounds) forms.foreach(_._2.round())
      forms.foreach(_._2.forget())
      for (_ <- 0 until rounds) forms.foreach(_._2.round())
      for ((name, form) <- forms) println(form.told(s"$name, $behind windows behind"))
    }
  }

  final private class Count { var tuples = 0 }

  private object Counting extends Winsets[java.lang.Long, Count] {
    def ts(t: java.lang.Long): Long = t
    def create(start: Long): Count = new Count
    def updater(thread: Int): WinsetUpdater[java.lang.Long, Count] =
      new WinsetUpdater[java.lang.Long, Count] {
        private[this] var entered: Count = _
        def enter(w: Count): Unit = entered = w
        def update(t: java.lang.Long): Unit = entered.tuples += 1
        def leave(): Unit = entered = null
      }
  }

  /** Windows of one time unit. Thread 0 makes them, thread 1 comes when they are made. */
  final private class Rounds(behind: Int, shortcuts: Boolean) {
    private[this] val hive =
      new WHive(SlidingWindows(1, 1), Counting, 2, behind + 1, shortcuts)
    private[this] val catchUps = Array.newBuilder[Long]
    private[this] var made = 0L
    private[this] var time = 0L

    def round(): Unit = {
      val begin = System.nanoTime
      for (_ <- 0 until behind) {
        check(hive.updateWindows(time, 0))
        time += 1
      }
      val silent = System.nanoTime
      check(hive.updateWindows(time - 1, 1))
      val caughtUp = System.nanoTime
      hive.advance(0, time)
      hive.advance(1, time)
      for (i <- 1 to behind) check(hive.getNextWinSet().tuples == (if (i == behind) 2 else 1))
      made += System.nanoTime - caughtUp + silent - begin
      catchUps += caughtUp - silent
    }

    def forget(): Unit = {
      made = 0L
      catchUps.clear()
    }

    def told(arm: String): String = {
      val all = catchUps.result().sorted
      val seconds = f"${(made + all.sum) * 1e-9}%.4f"
      val windows = all.length.toLong * behind
      s"""{"arm": "$arm", "threads": 1, "tuples": $windows, "seconds": [$seconds], """ +
        f""""catch-up ns": ${all(all.length / 2)}, "window ns": ${made.toDouble / windows}%.1f}"""
    }

    private[this] def check(isSo: Boolean): Unit =
      if (!isSo) throw new IllegalStateException("the hive refused a tuple, or lost one")
  }
}

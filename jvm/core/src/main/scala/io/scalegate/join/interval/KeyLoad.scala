package io.scalegate.join.interval

import io.scalegate.stream.{CountWindow, Side, StreamTuple, TimeWindow, Window}

/** What keys cost, from their counted tuples: the loads that Algorithm 1 balances.
  *
  * The paper takes a key's frequency. That is the number of its tuples, but a key of twice the
  * frequency also meets twice the rows with each, which is four times the comparisons; replicas of
  * equal frequencies can differ by that. So a key's load here is its tuples, at [[KeyLoad.Tuple]]
  * comparisons each, and the comparisons expected of them: the share of the tuples of one
  * stream times that of the other, times the rows in the window. Where windows are small or keys
  * many it is the paper's frequency.
  *
  * One thread at a time.
  */
final private[interval] class KeyLoad(window: Window) {
  private[this] var tuples = 0.0
  private[this] var tuplesOfR = 0.0
  private[this] var all = 0.0
  private[this] var firstTs = 0L
  private[this] var lastTs = 0L

  def observe(t: StreamTuple): Unit = {
    if (all == 0) {
      firstTs = t.ts
      lastTs = t.ts
    } else lastTs = math.max(lastTs, t.ts)
    tuples += 1
    all += 1
    if (t.side eq Side.R) tuplesOfR += 1
  }

  /** Lets what was counted so far count for half. */
  def age(): Unit = {
    tuples /= 2
    tuplesOfR /= 2
  }

  /** The load of each key, in comparisons. */
  def of(keys: Array[KeyEntry]): Array[Double] = {
    val perPair = comparisonsPerPair
    keys.map(e => e.count * KeyLoad.Tuple + e.r.count.toDouble * e.s.count * perPair)
  }

  /** Comparisons for each pair of one counted tuple of R and one of S with the same key. */
  private[this] def comparisonsPerPair: Double =
    if (tuplesOfR == 0 || tuplesOfR == tuples) 0
    else
      window match {
        case w: TimeWindow =>
          val rate = all / math.max(lastTs.toDouble - firstTs.toDouble, 1)
          math.min(rate * (w.upper.toDouble - w.lower.toDouble), 2 * all) / tuples
        case CountWindow(size) =>
          math.min(size.toDouble, all) * (1 / tuplesOfR + 1 / (tuples - tuplesOfR))
      }
}

private[interval] object KeyLoad {

  /** What it takes to read, look up, probe with and store one tuple, in comparisons. */
  val Tuple = 32.0
}

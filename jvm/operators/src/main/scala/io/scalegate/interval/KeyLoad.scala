package io.scalegate.interval

import io.scalegate.stream.{CountWindow, Side, StreamTuple, TimeWindow, Window}

/** What keys cost, from their counted tuples: the loads that Algorithm 1 balances.
  *
  * The paper takes a key's frequency, and spreads it evenly over the key's replicas. But a key of
  * twice the frequency also meets twice the rows with each tuple, which is four times the
  * comparisons; and of its tuples no replica is spared any, which each has to look up and probe
  * with. So a key's load here is the comparisons expected of it, which a split divides (the share of
  * the tuples of one stream times that of the other, times the rows in the window), and its tuples,
  * at `tupleCost` comparisons each, which every replica of it bears whole. Where windows are
  * small or keys many, no split makes anything better, and none is made.
  *
  * One thread at a time.
  *
  * @param byFrequency
  *   whether loads are the paper's after all
  */
final private[interval] class KeyLoad(
    window: Window,
    tupleCost: Double,
    byFrequency: Boolean = false
) {
  private[this] val keys = new KeyCounts
  private[this] var counted = 0L // those of R and S below, older ones for less
  private[this] var countedOfR = 0L
  private[this] var all = 0L
  private[this] var firstTs = Long.MaxValue
  private[this] var lastTs = Long.MinValue

  /** Counts a tuple.
    *
    * @param passed
    *   the tuples since the last one that was counted, this one included
    */
  def count(t: StreamTuple, passed: Int): Unit = {
    all += passed
    if (t.ts > lastTs) lastTs = t.ts
    if (t.ts < firstTs) firstTs = t.ts
    keys.count(t)
    counted += 1
    if (t.side eq Side.R) countedOfR += 1
  }

  /** Lets what was counted so far count for half. */
  def age(): Unit = {
    keys.age()
    counted /= 2
    countedOfR /= 2
  }

  /** The keys and their loads, in comparisons or, by frequency, in tuples. */
  def measure(): KeyLoads = {
    val loads = new KeyLoads(keys.size)
    val perPair = comparisonsPerPair
    var at = 0
    while (at < keys.cells) {
      if (keys.isUsed(at)) {
        val (r, s) = (keys.countOfR(at).toDouble, keys.countOfS(at).toDouble)
        if (byFrequency) loads.add(keys.key(at), r + s, 0)
        else loads.add(keys.key(at), r * s * perPair, (r + s) * tupleCost)
      }
      at += 1
    }
    loads
  }

  /** Comparisons for each pair of one counted tuple of R and one of S with the same key. */
  private[this] def comparisonsPerPair: Double = {
    val countedOfS = counted - countedOfR
    if (countedOfR == 0 || countedOfS == 0) 0
    else
      window match {
        case w: TimeWindow =>
          val rate = all / math.max(lastTs.toDouble - firstTs.toDouble, 1)
          math.min(rate * (w.upper.toDouble - w.lower.toDouble), 2.0 * all) / counted
        case CountWindow(rowsR, rowsS) =>
          math.min(rowsR, all).toDouble / countedOfR + math.min(rowsS, all).toDouble / countedOfS
      }
  }
}

private[interval] object KeyLoad {

  /** From 200 where keys are few to 1,500 where they are so many that each is a miss in the caches,
    * at 0.3 nanoseconds for a comparison in a long run.
    */
  val TupleCost = 512.0
}

/** Keys and what each costs: what a split divides, and what it does not. */
final private class KeyLoads(size: Int) {
  val keys = new Array[Long](size)
  val loads = new Array[Double](size)
  val ofEach = new Array[Double](size)
  private[this] var n = 0

  def add(key: Long, load: Double, undivided: Double): Unit = {
    keys(n) = key
    loads(n) = load
    ofEach(n) = undivided
    n += 1
  }
}

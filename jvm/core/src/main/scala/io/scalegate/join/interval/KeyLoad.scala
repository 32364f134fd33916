package io.scalegate.join.interval

import io.scalegate.stream.{CountWindow, Side, StreamTuple, TimeWindow, Window}

/** What keys cost, from their counted tuples: the loads that Algorithm 1 balances.
  *
  * The paper takes a key's frequency. That is the number of its tuples, but a key of twice the
  * frequency also meets twice the rows with each, which is four times the comparisons; replicas
  * of equal frequencies can differ by that. So a key's load here is its tuples, at
  * [[KeyLoad.Tuple]] comparisons each, and the comparisons expected of them: the share of the
  * tuples of one stream times that of the other, times the rows in the window. Where windows are
  * small or keys many it is the paper's frequency.
  *
  * One thread at a time.
  */
final private[interval] class KeyLoad(window: Window) {
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

  /** The keys and their loads, in comparisons. */
  def measure(): KeyLoads = {
    val loads = new KeyLoads(keys.size)
    val perPair = comparisonsPerPair
    var at = 0
    while (at < keys.cells) {
      if (keys.isUsed(at)) {
        val (r, s) = (keys.countOfR(at).toDouble, keys.countOfS(at).toDouble)
        loads.add(keys.key(at), (r + s) * KeyLoad.Tuple + r * s * perPair)
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
        case CountWindow(size) =>
          math.min(size, all) * (1.0 / countedOfR + 1.0 / countedOfS)
      }
  }
}

private[interval] object KeyLoad {

  /** What it takes to read, look up, probe with and store one tuple, in comparisons. */
  val Tuple = 32.0
}

/** Keys and what each costs. */
final private[interval] class KeyLoads(size: Int) {
  val keys = new Array[Long](size)
  val loads = new Array[Double](size)
  private[this] var n = 0

  def add(key: Long, load: Double): Unit = {
    keys(n) = key
    loads(n) = load
    n += 1
  }
}

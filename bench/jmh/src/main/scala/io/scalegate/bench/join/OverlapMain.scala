package io.scalegate.bench.join

import java.util.SplittableRandom

import io.scalegate.lookup.IntervalIndex

/** The pairs of two tables of intervals that overlap, without Spark: what a task makes of the rows that it has, in the
  * set OV and, with keys, OVK. The right table is indexed, and each thread looks up its part of the left one, in the order
  * of their starts; building the index is not in the time. Prints one line of JSON for each number of keys and of threads.
  *
  * Arguments: left rows, right rows, the span of their starts, the length that left and right intervals stay below, most
  * threads, runs, and the numbers of keys.
  */
object OverlapMain {
  def main(args: Array[String]): Unit = {
    if (args.length < 8) {
      System.err.println(
        "arguments: LEFT_ROWS RIGHT_ROWS SPAN LONGEST_LEFT LONGEST_RIGHT MAX_THREADS RUNS KEYS ..."
      )
      sys.exit(2)
    }
    val (left, right, span) = (args(0).toInt, args(1).toInt, args(2).toInt)
    val (longestLeft, longestRight) = (args(3).toInt, args(4).toInt)
    val (threads, runs) = (args(5).toInt, args(6).toInt)
    for (keys <- args.drop(7).map(_.toInt)) {
      val random = new SplittableRandom(14)
      val probes = new Intervals(left, span, longestLeft, keys, random)
      val rows = new Intervals(right, span, longestRight, keys, random)
      val index = IntervalIndex(
        Option.when(keys > 1)(rows.keys),
        rows.starts,
        rows.ends,
        IntervalIndex.Probe(0, 1)
      )
      for (n <- 1 to threads) {
        val overlap = new Overlap(index, probes, keys > 1, n)
        overlap.run() // warm-up
        val measured = Seq.fill(runs)(overlap.run())
        println(ArmResult.json(s"overlap/keys=$keys", n, measured))
      }
    }
  }
}

/** Rows of whole numbers, in the order of their starts. */
final private class Intervals(
    size: Int,
    span: Int,
    longest: Int,
    numberOfKeys: Int,
    random: SplittableRandom
) {
  val starts: Array[Long] = Array.fill(size)(random.nextInt(span).toLong).sorted
  val ends: Array[Long] = starts.map(_ + random.nextInt(longest))
  val keys: Array[Long] = Array.fill(size)(random.nextInt(numberOfKeys).toLong)
}

final private class Overlap(
    index: IntervalIndex,
    probes: Intervals,
    keyed: Boolean,
    threads: Int
) {
  private[this] val found = new Array[Long](threads)
  private[this] val compared = new Array[Long](threads)

  def run(): ArmResult = {
    val begin = System.nanoTime()
    val workers = (0 until threads).map(t => new Thread(() => look(t), s"overlap-$t"))
    workers.foreach(_.start())
    workers.foreach(_.join())
    val seconds = (System.nanoTime() - begin) / 1e9
    ArmResult(
      seconds,
      found.sum,
      compared.toVector,
      tuples = Some(probes.starts.length.toLong)
    )
  }

  private[this] def look(thread: Int): Unit = {
    val lookup = index.lookup()
    val probe = new Array[Long](if (keyed) 3 else 2)
    val first = if (keyed) 1 else 0
    val rows = probes.starts.length.toLong
    val until = (rows * (thread + 1) / threads).toInt
    var row = (rows * thread / threads).toInt
    var count = 0L
    while (row < until) {
      if (keyed) probe(0) = probes.keys(row)
      probe(first) = probes.starts(row)
      probe(first + 1) = probes.ends(row)
      lookup.start(probe)
      while (lookup.next() >= 0) count += 1
      row += 1
    }
    found(thread) = count
    compared(thread) = lookup.comparisons
  }
}

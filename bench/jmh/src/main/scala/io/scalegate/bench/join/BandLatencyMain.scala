package io.scalegate.bench.join

import java.nio.file.Path

import org.HdrHistogram.Histogram

import io.scalegate.join.JoinStrategy
import io.scalegate.stream.{Side, SortableKey, StreamTuple, TimeWindow}

/** How long a result of the band join takes: from the arrival of its later tuple to its exit, with
  * tuples arriving at their own times (DP-Join §IV-C). Streams are symmetric (Fig. 6), of rates 1 to
  * 3 (Fig. 7a: every third tuple of R only), or have windows of 1 to 2 (Fig. 7b: R's is half as
  * long). Prints one line of JSON for each arm. Results of the first window, which fills then, are
  * left out, and so are those that only the end of the input brings out.
  *
  * Arguments: directory, WS in milliseconds, threads, how many times faster than their times say
  * the tuples arrive, for how many seconds, `symmetric`, `rates` or `windows`, and the arms (those of
  * [[BandJoinMain]] that are joins).
  */
object BandLatencyMain {
  def main(args: Array[String]): Unit = {
    if (args.length < 7) {
      System.err.println(
        "arguments: DIRECTORY WS_MILLIS THREADS SPEED SECONDS symmetric|rates|windows ARM ..."
      )
      sys.exit(2)
    }
    val ws = args(1).toLong
    val s = BandColumns.read(Path.of(args(0)), "S")
    val all = BandColumns.read(Path.of(args(0)), "R")
    val (prefix, r, window) = args(5) match {
      case "symmetric" => ("", all, TimeWindow.sliding(ws, ws))
      case "rates" => ("rates 1 to 3/", all.every(3), TimeWindow.sliding(ws, ws))
      case "windows" => ("windows 1 to 2/", all, TimeWindow.sliding(ws / 2, ws))
      case other =>
        throw new IllegalArgumentException(
          s"streams cannot be $other; give symmetric, rates or windows"
        )
    }
    for (arm <- args.drop(6)) {
      val join = BandJoinMain.strategy(arm, args(2).toInt, r.size.toDouble / s.size)
      val run = new LatencyRun(r, s, window, join, args(3).toDouble, args(4).toInt)
      println(
        s"""{"arm": "$prefix$arm", "threads": ${args(2)}, "speed": ${args(3)}, "seconds": ${args(
            4
          )}, ${run.measure()}}"""
      )
    }
  }
}

/** One run of one strategy. */
final private class LatencyRun(
    r: BandColumns,
    s: BandColumns,
    window: TimeWindow,
    strategy: JoinStrategy,
    speed: Double,
    seconds: Int
) {
  private[this] val start = math.min(r.ts(0), s.ts(0))
  private[this] val full = start + math.max(-window.lower, window.upper)

  /** The fields of a line of JSON. */
  def measure(): String = {
    val spec = JoinArm.spec(window)
    val join = strategy.open(spec, Vector(Side.R, Side.S), PacedConsumer.Options)
    val latencies =
      try feed(new PacedConsumer(join))
      finally join.close()
    val count = latencies.getTotalCount
    require(count > 0, "no result in time: more seconds, or more speed, or a smaller window")
    PacedConsumer.fields(latencies)
  }

  private[this] def feed(consumer: PacedConsumer): Histogram = {
    val latencies = consumer.recordFrom(full)
    val begin = System.nanoTime()
    var ir = 0
    var is = 0
    while (System.nanoTime() - begin < seconds * 1000000000L && (ir < r.size || is < s.size)) {
      val isOfR = is >= s.size || (ir < r.size && r.ts(ir) <= s.ts(is))
      val columns = if (isOfR) r else s
      val i = if (isOfR) ir else is
      val due = begin + ((columns.ts(i) - start) * 1e6 / speed).toLong
      consumer.awaitTime(due)
      consumer.deliver(tuple(columns, i, if (isOfR) Side.R else Side.S, due))
      if (isOfR) ir += 1 else is += 1
    }
    latencies
  }

  private[this] def tuple(from: BandColumns, i: Int, side: Side, due: Long): StreamTuple = {
    val source = if (side eq Side.R) 0 else 1
    val attrs = Array(from.i(i).toLong, SortableKey.ofFloat(from.f(i)).toLong)
    new StreamTuple(from.ts(i), source, i.toLong, side, attrs, java.lang.Long.valueOf(due))
  }
}

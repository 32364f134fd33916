package io.scalegate.bench.join

import java.nio.file.Path
import java.util.Arrays

import io.scalegate.join.{JoinOptions, JoinResult, JoinStrategy, RunningJoin}
import io.scalegate.stream.{IdleStrategy, Side, SortableKey, StreamTuple}

/** How long a result of the band join takes: from the arrival of its later tuple to its exit, with
  * tuples arriving at their own times (DP-Join §V-C, Fig. 6). Prints one line of JSON for each arm.
  * Results of the first window, which fills then, are left out, and so are those that only the end
  * of the input brings out.
  *
  * Arguments: directory, WS in milliseconds, threads, how many times faster than their times say
  * the tuples arrive, for how many seconds, and the arms (those of [[BandJoinMain]] that are
  * joins).
  */
object BandLatencyMain {
  def main(args: Array[String]): Unit = {
    if (args.length < 6) {
      System.err.println("arguments: DIRECTORY WS_MILLIS THREADS SPEED SECONDS ARM ...")
      sys.exit(2)
    }
    val r = BandColumns.read(Path.of(args(0)), "R")
    val s = BandColumns.read(Path.of(args(0)), "S")
    for (arm <- args.drop(5)) {
      val join = BandJoinMain.strategy(arm, args(2).toInt, r.size.toDouble / s.size)
      val run = new LatencyRun(r, s, args(1).toLong, join, args(3).toDouble, args(4).toInt)
      println(
        s"""{"arm": "$arm", "threads": ${args(2)}, "speed": ${args(3)}, "seconds": ${args(
            4
          )}, ${run.measure()}}"""
      )
    }
  }
}

/** One run of one strategy. A thread is both sources and the consumer. */
final private class LatencyRun(
    r: BandColumns,
    s: BandColumns,
    ws: Long,
    strategy: JoinStrategy,
    speed: Double,
    seconds: Int
) {
  private[this] val idle = new IdleStrategy.Backoff(maxParkNanos = LatencyRun.MostParkNanos)
  private[this] val options =
    JoinOptions(idle = () => new IdleStrategy.Backoff(maxParkNanos = LatencyRun.MostParkNanos))
  private[this] val start = math.min(r.ts(0), s.ts(0))
  private[this] var nanos = new Array[Long](1024)
  private[this] var count = 0

  /** The fields of a line of JSON. */
  def measure(): String = {
    val join = strategy.open(JoinArm.spec(ws), Vector(Side.R, Side.S), options)
    try feed(join)
    finally join.close()
    Arrays.sort(nanos, 0, count)
    require(count > 0, "no result in time: more seconds, or more speed, or a smaller window")
    f""""results": $count, "p50_ms": ${millis(50)}%.3f, "p99_ms": ${millis(99)}%.3f, """ +
      f""""p99.9_ms": ${millis(99.9)}%.3f, "max_ms": ${millis(100)}%.3f"""
  }

  private[this] def millis(percentile: Double): Double = {
    val at = math.ceil(count * percentile / 100).toInt - 1
    nanos(math.max(0, at)) / 1e6
  }

  private[this] def feed(join: RunningJoin): Unit = {
    val begin = System.nanoTime()
    var ir = 0
    var is = 0
    while (System.nanoTime() - begin < seconds * 1000000000L && (ir < r.size || is < s.size)) {
      val isOfR = is >= s.size || (ir < r.size && r.ts(ir) <= s.ts(is))
      val columns = if (isOfR) r else s
      val i = if (isOfR) ir else is
      val due = begin + ((columns.ts(i) - start) * 1e6 / speed).toLong
      while (System.nanoTime() < due) take(join)
      deliver(join, columns, i, if (isOfR) Side.R else Side.S, due)
      if (isOfR) ir += 1 else is += 1
    }
  }

  /** Delivers a tuple that has arrived, and says that no source has one before it: R's come first. */
  private[this] def deliver(
      join: RunningJoin,
      from: BandColumns,
      i: Int,
      side: Side,
      due: Long
  ): Unit = {
    val own = if (side eq Side.R) 0 else 1
    val attrs = Array(from.i(i).toLong, SortableKey.ofFloat(from.f(i)).toLong)
    val t = new StreamTuple(from.ts(i), own, i.toLong, side, attrs, java.lang.Long.valueOf(due))
    while (!join.sources(own).tryAdd(t)) take(join)
    join.sources(1 - own).advance(if (own == 0) t.ts else t.ts + 1)
  }

  private[this] def take(join: RunningJoin): Unit = {
    val result = join.poll()
    if (result == null) idle.idle()
    else {
      idle.reset()
      if (result.ts >= start + ws) record(result)
    }
  }

  private[this] def record(result: JoinResult): Unit = {
    if (count == nanos.length) nanos = Arrays.copyOf(nanos, count * 2)
    val arrived = result.later.row match {
      case nanos: java.lang.Long => nanos.longValue
      case other => throw new IllegalStateException(s"no arrival time: $other")
    }
    nanos(count) = System.nanoTime() - arrived
    count += 1
  }
}

private object LatencyRun {

  /** Longer parks would be a latency of their own. */
  val MostParkNanos = 50000L
}

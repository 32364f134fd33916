package io.scalegate.bench.join

import java.lang.management.ManagementFactory

import io.scalegate.band.{AttributeType, FloatingBand, IntegralBand}
import io.scalegate.join.{JoinOptions, JoinSpec, JoinStrategy, PairPredicate, RunningJoin}
import io.scalegate.stream.{IdleStrategy, Side, SortableKey, StreamTuple, TimeWindow}

/** A strategy as users run it: gates, windows, results and all. One thread feeds both streams in
  * merged order, makes the tuples, and takes the results; it parks while there is nothing to do.
  * A strategy without threads of its own runs on it too. The float band is a superset for the
  * strategy; the comparison that the C++ kernel makes, in float arithmetic, decides.
  */
final class JoinArm(r: BandColumns, s: BandColumns, ws: Long, strategy: JoinStrategy) {
  private[this] val spec = JoinArm.spec(ws)

  def run(): ArmResult = {
    val allocated = JoinArm.allocatedBytes()
    val start = System.nanoTime()
    val join = strategy.open(spec, Vector(Side.R, Side.S), JoinOptions())
    try {
      val matches = feed(join)
      val seconds = (System.nanoTime() - start) / 1e9
      val bytes = (JoinArm.allocatedBytes() - allocated).toDouble / (r.size + s.size)
      ArmResult(seconds, matches, JoinArm.compared(join), Some(bytes))
    } finally join.close()
  }

  private[this] def feed(join: RunningJoin): Long = {
    val consumer = new Consumer(join)
    var ir = 0
    var is = 0
    while (ir < r.size || is < s.size)
      if (is >= s.size || (ir < r.size && r.ts(ir) <= s.ts(is))) {
        consumer.deliver(0, tuple(r, ir, 0, Side.R))
        ir += 1
      } else {
        consumer.deliver(1, tuple(s, is, 1, Side.S))
        is += 1
      }
    join.sources.foreach(_.close())
    consumer.finish()
  }

  private[this] def tuple(from: BandColumns, i: Int, source: Int, side: Side): StreamTuple = {
    val attrs = Array(from.i(i).toLong, SortableKey.ofFloat(from.f(i)).toLong)
    new StreamTuple(from.ts(i), source, i.toLong, side, attrs, from)
  }
}

/** The thread that is both sources and the consumer. */
final private class Consumer(join: RunningJoin) {
  private[this] val idle = new IdleStrategy.Backoff()
  private[this] var taken = 0L

  def deliver(source: Int, t: StreamTuple): Unit =
    while (!join.sources(source).tryAdd(t)) takeOrIdle()

  def finish(): Long = {
    while (!join.isDone) takeOrIdle()
    taken
  }

  private[this] def takeOrIdle(): Unit =
    if (join.poll() != null) {
      taken += 1
      idle.reset()
    } else idle.idle()
}

object JoinArm {

  /** The band join over the last `ws` milliseconds of each stream. */
  def spec(ws: Long): JoinSpec = spec(TimeWindow.sliding(ws, ws))

  /** The band join. */
  def spec(window: TimeWindow): JoinSpec = JoinSpec(
    window,
    Vector(
      IntegralBand(AttributeType.Int32, -10, 10),
      FloatingBand(AttributeType.Float32, -10, 10)
    ),
    Some(() => JoinArm.Near)
  )

  private object Near extends PairPredicate {
    def matches(r: StreamTuple, s: StreamTuple): Boolean =
      math.abs(value(r) - value(s)) <= 10f

    private[this] def value(t: StreamTuple): Float = SortableKey.toFloat(t.attrs(1).toInt)
  }

  private[this] val bean = ManagementFactory.getThreadMXBean match {
    case b: com.sun.management.ThreadMXBean => b
    case other => throw new IllegalStateException(s"$other does not count allocated bytes")
  }

  private[this] val system = ManagementFactory.getOperatingSystemMXBean match {
    case b: com.sun.management.OperatingSystemMXBean => b
    case other => throw new IllegalStateException(s"$other does not count CPU time")
  }

  /** Comparisons of each thread so far. */
  private[bench] def compared(join: RunningJoin): Vector[Long] =
    join.metrics.workers.map(_.comparisons).toVector

  private[bench] def comparedSince(join: RunningJoin, before: Vector[Long]): Vector[Long] =
    compared(join).zip(before).map { case (now, was) => now - was }

  /** What the process has had so far, the compiler and the collector included. */
  def cpuSeconds(): Double = system.getProcessCpuTime / 1e9

  /** Bytes that all live threads have allocated so far. */
  def allocatedBytes(): Long =
    bean.getThreadAllocatedBytes(bean.getAllThreadIds).filter(_ > 0).sum
}

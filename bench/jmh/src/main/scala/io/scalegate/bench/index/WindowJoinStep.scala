package io.scalegate.bench.index

import java.util.SplittableRandom
import java.util.concurrent.TimeUnit

import org.openjdk.jmh.annotations._

import io.scalegate.index.{PositionBuffer, RangeQuery, SlidingIndex}

/** The index's part of an index-based window join (PIM-Tree §5.2, Fig. 10b): one tuple probes the
  * index, enters it and pushes the oldest out, in a full window of uniform keys, with a band that
  * matches two tuples on average.
  */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.AverageTime))
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(value = 1, jvmArgsAppend = Array("-Xmx2g", "-XX:+UseParallelGC"))
class WindowJoinStep {
  @Param(Array("PIM", "IM", "B+", "IB-chain", "B-chain"))
  var index: String = _

  @Param(Array("14", "17", "20"))
  var logWindow: Int = _

  private[this] var tested: SlidingIndex = _
  private[this] var window = 0L
  private[this] var diff = 0L
  private[this] var position = 0L
  private[this] val random = new SplittableRandom(1)
  private[this] val query = new RangeQuery
  private[this] val found = new PositionBuffer

  @Setup
  def fill(): Unit = {
    window = 1L << logWindow
    diff = (1L << WindowJoinStep.KeyBits) / window // keys in ±diff: 2 of the window
    tested = IndexUnderTest(index, window.toInt)
    (0L until 2 * window).foreach(_ => insert())
  }

  @Benchmark
  def probeAndInsert(): Int = {
    val key = random.nextLong() >>> (64 - WindowJoinStep.KeyBits)
    found.clear()
    tested.search(query.keys(key - diff, key + diff), found)
    insert()
    found.size
  }

  @Benchmark
  def insertOnly(): Unit = insert()

  private[this] def insert(): Unit = {
    tested.insert(random.nextLong() >>> (64 - WindowJoinStep.KeyBits), position)
    position += 1
    tested.expireBefore(position - window)
  }
}

object WindowJoinStep {

  /** Keys are uniform in `[0, 2^40)`, so hardly any occurs twice in a window. */
  private val KeyBits = 40
}

package io.scalegate.bench.gate

import java.lang.management.ManagementFactory
import java.util.concurrent.{Callable, ExecutorService}

import io.scalegate.stream.{IdleStrategy, Side, StreamTuple}

/** What one round measures.
  *
  * @param sources
  *   how many sources deliver
  * @param readers
  *   how many threads read everything
  * @param feeders
  *   how many threads feed the sources, each its own in merged order
  */
final case class GateShape(sources: Int, readers: Int, feeders: Int)

/** One round: the time from the first delivery until every reader has read the last tuple. */
final case class GateRate(tuplesPerSecond: Double, bytesPerTuple: Double)

/** Sends `Tuples` tuples through a gate. The source of each is pseudo-random, every time is
  * shared by two, so ties occur. Tuples are made while feeding (48 bytes each); every reader
  * checks the sequence. A source may be `Ahead / sources` tuples ahead of the slowest reader.
  */
final class GateRound(shape: GateShape, pool: ExecutorService) {
  import GateRound._
  import shape._

  private[this] val expected = (0 until Tuples by 2)
    .flatMap(i => Seq(first(i), second(i)))
    .foldLeft(0L)((hash, i) => step(hash, timeOf(i), sourceOf(i)))

  def run(gate: String): GateRate = {
    val tested = GateUnderTest(gate, sources, readers, Ahead / sources)
    val start = System.nanoTime
    val parts = (0 until feeders).map(f => submit { feed(tested, f); expected }) ++
      (0 until readers).map(r => submit(read(tested, r)))
    val outcomes = parts.map(_.get)
    val seconds = (System.nanoTime - start) * 1e-9
    if (outcomes.exists(_._1 != expected))
      throw new IllegalStateException(s"a reader of $gate read another sequence")
    GateRate(Tuples / seconds, outcomes.map(_._2).sum.toDouble / Tuples)
  }

  /** The body's result and what its thread allocated. */
  private[this] def submit(body: => Long) = {
    val task: Callable[(Long, Long)] = () => {
      val before = allocated()
      val result = body
      (result, allocated() - before)
    }
    pool.submit(task)
  }

  private[this] def feed(tested: GateUnderTest, feeder: Int): Unit = {
    val idle = new IdleStrategy.Backoff
    var i = 0
    while (i < Tuples) {
      deliver(tested, feeder, first(i), idle)
      deliver(tested, feeder, second(i), idle)
      i += 2
    }
    (feeder until sources by feeders).foreach(tested.close)
  }

  private[this] def deliver(
      tested: GateUnderTest,
      feeder: Int,
      i: Int,
      idle: IdleStrategy
  ): Unit = {
    val source = sourceOf(i)
    if (feeders == 1 || source % feeders == feeder) {
      val t = new StreamTuple(timeOf(i), source, i.toLong, Side.R, NoAttributes, Row)
      if (!tested.tryAdd(t)) {
        (feeder until sources by feeders).foreach(s => if (s != source) tested.advance(s, t))
        while (!tested.tryAdd(t)) idle.idle()
        idle.reset()
      }
    }
  }

  private[this] def read(tested: GateUnderTest, reader: Int): Long = {
    val idle = new IdleStrategy.Backoff
    var hash, count = 0L
    while (count < Tuples) {
      val t = tested.next(reader)
      if (t == null) idle.idle()
      else {
        idle.reset()
        hash = step(hash, t.ts, t.source)
        count += 1
      }
    }
    hash
  }

  /** Of the two tuples of one time, the one whose source sorts first. */
  private[this] def first(i: Int): Int = if (sourceOf(i) <= sourceOf(i + 1)) i else i + 1
  private[this] def second(i: Int): Int = if (sourceOf(i) <= sourceOf(i + 1)) i + 1 else i

  private[this] def timeOf(i: Int): Long = (i >> 1).toLong

  private[this] def sourceOf(i: Int): Int = {
    val mixed = (i + 1) * 0x9e3779b9
    ((mixed ^ (mixed >>> 15)) & Int.MaxValue) % sources
  }
}

private object GateRound {
  val Tuples = 400000
  val Ahead = 8192
  private val NoAttributes = new Array[Long](0)
  private val Row = new Object

  private val threads =
    ManagementFactory.getThreadMXBean.asInstanceOf[com.sun.management.ThreadMXBean]

  private def allocated(): Long = threads.getCurrentThreadAllocatedBytes

  private def step(hash: Long, ts: Long, source: Int): Long = hash * 31 + ts * 64 + source
}

package io.scalegate.interval.sharednothing

import scala.collection.mutable.ArrayBuffer

import org.scalatest.funsuite.AnyFunSuite

import io.scalegate.interval.{KeySplitting, KeyTable}
import io.scalegate.stream.{Side, SpscRing, StreamTuple}

/** What an emitter sends to whom, when, and what it says of its floor. */
final class EmitterSuite extends AnyFunSuite {
  private val Replicas = 3

  /** Keys of the n-th replica. */
  private def keyOf(replica: Int): Long =
    Iterator.from(0).map(_.toLong).filter(KeyTable.spread(_, Replicas) == replica).next()

  final private class Sent(distribution: Distribution, batch: Int, room: Int = 1024) {
    val channels: Vector[SpscRing[Message]] = Vector.fill(Replicas)(new SpscRing[Message](room))
    val emitter = new Emitter(0, distribution, channels, batch)

    def add(key: Long, ts: Long): Unit = emitter.own {
      assert(emitter.hasRoom)
      emitter.add(new StreamTuple(ts, 0, ts, Side.R, Array(key), null), ts)
    }

    def promise(ts: Long): Unit = emitter.own(emitter.promise(ts))

    def close(): Unit = emitter.own(emitter.close())

    def taken(replica: Int): Seq[Message] = {
      val messages = ArrayBuffer.empty[Message]
      var next = channels(replica).poll()
      while (next != null) {
        messages += next
        next = channels(replica).poll()
      }
      messages.toSeq
    }

    def times(replica: Int): Seq[Seq[Long]] = taken(replica).collect { case b: Batch =>
      b.tuples.toSeq.take(b.size).map(_.ts)
    }
  }

  test("KP: a batch to its replica when it is full, and what is left at a promise") {
    val sent = new Sent(new PointToPoint(Replicas), batch = 2)
    for (ts <- 1 to 3) sent.add(keyOf(1), ts.toLong)
    sent.add(keyOf(2), 4)
    assert(sent.times(1) == Seq(Seq(1, 2)) && sent.times(2).isEmpty)
    sent.promise(9)
    assert(sent.taken(0).map(_.floor) == Seq(9))
    assert(sent.times(1) == Seq(Seq(3)) && sent.times(2) == Seq(Seq(4)))
  }

  test("DP: one and the same batch to all") {
    val sent = new Sent(new Broadcast(Replicas), batch = 2)
    for (ts <- 1 to 4) sent.add(ts.toLong, ts.toLong)
    val all = Seq.tabulate(Replicas)(sent.taken)
    assert(all.head.size == 2 && all.head.forall(_.isInstanceOf[Batch]))
    for (other <- all; (a, b) <- all.head.zip(other)) assert(a eq b)
  }

  test("HP: by KP until the plan, then a split key to its replicas in batches of its own") {
    val feedback = new SpscRing[SplitPlan](1)
    val sent = new Sent(new Multicast(Replicas, 2, feedback), batch = 2)
    val (hot, cold) = (keyOf(1), keyOf(2))
    sent.add(hot, 1)
    sent.add(cold, 2)
    assert(sent.taken(0).collect { case f: Frequencies => f.counts.size } == Seq(2))
    sent.add(hot, 3)
    assert(sent.times(1) == Seq(Seq(1, 3)))
    sent.add(hot, 4)
    feedback.offer(new SplitPlan(Map(hot -> Array(1, 0)), KeySplitting(1, 1.5, 2)))
    sent.add(hot, 5)
    sent.add(cold, 6)
    sent.add(hot, 7)
    val (first, second, third) = (sent.taken(1), sent.taken(0), sent.taken(2))
    def batches(messages: Seq[Message]) = messages.collect { case b: Batch => b }
    assert(batches(first).map(_.size) == Seq(1, 2), "what was collected before, and then both")
    assert(first(1).isInstanceOf[Switch] && second.head.isInstanceOf[Switch])
    assert(batches(second).size == 1 && (batches(second).head eq batches(first).last))
    assert(batches(third).map(_.tuples(0).ts) == Seq(2, 6).take(batches(third).size))
    assert(batches(first).last.floor == 6, "the cold key's tuple is still to come")
  }

  test("a promise that finds no room is sent by who makes it, and says the latest") {
    val sent = new Sent(new Broadcast(Replicas), batch = 1, room = 1)
    sent.add(1, 1)
    for (ts <- 2 to 9) sent.promise(ts.toLong)
    assert(!sent.emitter.help(), "there is no room")
    for (j <- 0 until Replicas) assert(sent.taken(j).size == 1)
    assert(sent.emitter.help() && !sent.emitter.help())
    assert(sent.taken(2).map(_.floor) == Seq(9))
  }

  test("a source that finds no room is refused, and its end is not lost") {
    val sent = new Sent(new PointToPoint(Replicas), batch = 1, room = 1)
    sent.add(keyOf(0), 1)
    sent.add(keyOf(0), 2) // waits in the outbox
    assert(!sent.emitter.own(sent.emitter.hasRoom))
    sent.close()
    assert(sent.times(0) == Seq(Seq(1)))
    assert(sent.emitter.help())
    assert(sent.times(0) == Seq(Seq(2)))
    assert(sent.emitter.help())
    for (j <- 0 until Replicas) assert(sent.taken(j).last.isInstanceOf[End])
  }

  test("a batch that does not fill goes all the same, and who gets nothing is told the floor") {
    val sent = new Sent(new PointToPoint(Replicas), batch = 4)
    sent.add(keyOf(2), 0)
    for (ts <- 1 to 4 * Emitter.PatienceInBatches.toInt * 2) sent.add(keyOf(1), ts.toLong)
    assert(sent.times(2) == Seq(Seq(0)))
    val told = sent.taken(0)
    assert(told.nonEmpty && told.forall(_.isInstanceOf[Progress]))
    assert(told.last.floor >= 4 * Emitter.PatienceInBatches)
  }
}

package io.scalegate.interval.sharednothing

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import io.scalegate.stream.{Side, StreamTuple}

/** The order of turns: the same for all, whatever comes first, and with nothing left behind. */
final class TurnsSuite extends AnyFunSuite with ScalaCheckPropertyChecks {
  private val all = Array(0, 1)

  private def batch(stream: Int, ts: Long): Batch = {
    val t = new StreamTuple(ts, stream, ts, Side.R, Array(1L), null)
    new Batch(stream, all, Array(t), 1, ts, ts)
  }

  private def promise(ts: Long) = new Punctuation(all, ts)

  private def end = new End(all)

  /** What comes out at each step: the stream and time of every batch. */
  private def after(turns: Turns, steps: (Int, Message)*): Seq[(Int, Long)] =
    steps.flatMap { case (stream, message) =>
      turns.add(stream, message)
      Iterator.continually(turns.next()).takeWhile(_ != null).map(b => (b.stream, b.first))
    }

  test("a batch of each emitter in turn, and what is before its turn waits") {
    val turns = new Turns(Array(0, 1))
    assert(after(turns, 1 -> batch(1, 1), 1 -> batch(1, 2)).isEmpty)
    assert(turns.rows == 2 && turns.bound(1, 99) == 1 && turns.bound(0, 99) == 99)
    assert(after(turns, 0 -> batch(0, 7)) == Seq((0, 7), (1, 1)))
    assert(after(turns, 0 -> batch(0, 8)) == Seq((0, 8), (1, 2)))
    assert(turns.rows == 0)
  }

  test("a promise stands for turns, until a batch begins after it") {
    val turns = new Turns(Array(0, 1))
    assert(after(turns, 0 -> batch(0, 1), 1 -> promise(5)) == Seq((0, 1)))
    assert(after(turns, 0 -> batch(0, 2), 0 -> batch(0, 5)) == Seq((0, 2), (0, 5)))
    assert(after(turns, 0 -> batch(0, 6)).isEmpty)
    assert(after(turns, 1 -> batch(1, 9)) == Seq((1, 9), (0, 6)))
  }

  test("when all have promised nothing before the least promise is left") {
    val turns = new Turns(Array(0, 1, 2))
    val came = after(
      turns,
      1 -> batch(1, 12),
      2 -> promise(100),
      1 -> promise(1000),
      0 -> batch(0, 10),
      0 -> promise(1000),
      2 -> promise(1000)
    )
    assert(came == Seq((0, 10), (1, 12)))
  }

  test("an emitter at its end has no turn any more; one that promised the end of time has") {
    val turns = new Turns(Array(0, 1))
    assert(after(turns, 1 -> end, 0 -> batch(0, 1), 0 -> batch(0, 2)) == Seq((0, 1), (0, 2)))
    val last = Long.MaxValue
    assert(after(turns, 0 -> promise(last), 0 -> batch(0, last)) == Seq((0, last)))
    assert(after(turns, 0 -> end).isEmpty && turns.next() == null)
  }

  test("the logical streams alternate as long as there are emitters of both") {
    import Side.{R, S}
    assert(Collector.turns(Vector(R, S)).toSeq == Seq(0, 1))
    assert(Collector.turns(Vector(S, S, S, R, R)).toSeq == Seq(3, 0, 4, 1, 2))
    assert(Collector.turns(Vector(S, S)).toSeq == Seq(0, 1))
  }

  private val feed: Gen[List[(Boolean, Long)]] =
    Gen.listOf(Gen.zip(Gen.prob(0.7), Gen.choose(0L, 5L)))

  test("the order depends on the emitters' messages alone, and ends with all of them") {
    forAll(Gen.listOfN(3, feed), Gen.long) { (feeds, seed) =>
      val messages = feeds.zipWithIndex.map { case (steps, stream) =>
        val times = steps.scanLeft(0L)(_ + _._2).tail
        steps.zip(times).map { case ((isBatch, _), ts) =>
          if (isBatch) batch(stream, ts) else promise(ts)
        } :+ end
      }
      def run(random: scala.util.Random): Seq[(Int, Long)] = {
        val places = messages.zipWithIndex.flatMap { case (ms, i) => ms.map(_ => i) }
        val rest = messages.map(_.iterator).toArray
        after(new Turns(Array(0, 1, 2)), random.shuffle(places).map(i => i -> rest(i).next()): _*)
      }
      val random = new scala.util.Random(seed)
      val orders = Seq.fill(5)(run(random))
      assert(orders.toSet.size == 1)
      assert(orders.head.size == feeds.flatten.count(_._1))
      for (stream <- 0 to 2) {
        val times = orders.head.filter(_._1 == stream).map(_._2)
        assert(times == times.sorted)
      }
    }
  }
}

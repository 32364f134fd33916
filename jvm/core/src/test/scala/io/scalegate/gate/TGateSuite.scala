package io.scalegate.gate

import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.matchers.should.Matchers

import io.scalegate.Sample
import io.scalegate.stream.{EventOrder, StreamTuple}

/** What a T-Gate adds to the ScaleGate that it is: numbered inputs and handles, and a horizon. */
class TGateSuite extends AnyFunSuite with Matchers with ScaleGateFixture {
  private class Setup(inputs: Int, handles: Int = 1, capacity: Int = 100) {
    val gate = new TGate[StreamTuple](EventOrder.Tuples, inputs, handles, capacity)
    def insert(ts: Long, input: Int): Boolean = gate.insertTuple(tuple(ts, input), input)
    def ready(handle: Int = 0): Vector[(Long, Int)] =
      Iterator.continually(gate.getNextReadyTuple(handle)).takeWhile(_ != null)
        .map(t => (t.ts, t.source)).toVector
  }

  test("each handle gets every ready tuple once, in order") {
    val g = new Setup(inputs = 3, handles = 2)
    g.insert(2, 1)
    g.insert(1, 0)
    g.insert(2, 0)
    g.insert(3, 1)
    g.ready() shouldBe empty
    g.insert(2, 2)
    g.ready() shouldBe Vector((1L, 0), (2L, 0)) // input 0 may still deliver (2, 0, 1)
    g.gate.advance(0, upTo(3, 0))
    g.ready() shouldBe Vector((2L, 1), (2L, 2))
    (0 to 2).foreach(g.gate.close)
    g.ready() shouldBe Vector((3L, 1))
    g.gate.isDone(0) shouldBe true
    g.gate.isDone(1) shouldBe false
    g.ready(1) shouldBe Vector((1L, 0), (2L, 0), (2L, 1), (2L, 2), (3L, 1))
    g.gate.isDone(1) shouldBe true
  }

  test("an input has room again when the slowest handle has passed") {
    val g = new Setup(inputs = 1, handles = 2, capacity = 1)
    g.insert(1, 0) shouldBe true
    g.insert(2, 0) shouldBe false
    g.ready(0)
    g.insert(2, 0) shouldBe false
    g.ready(1)
    g.insert(2, 0) shouldBe true
  }

  test("what a reader has still to read does not lie before its horizon") {
    val g = new Setup(inputs = 2)
    val handle = g.gate.handle(0)
    handle.horizon() shouldBe Long.MinValue
    g.insert(5, 0)
    handle.horizon() shouldBe Long.MinValue // input 1 is silent
    g.gate.advance(1, upTo(9, 1))
    handle.horizon() shouldBe 5 // not read yet
    g.ready() shouldBe Vector((5L, 0))
    handle.horizon() shouldBe 5 // input 0 may deliver another tuple of time 5
    g.gate.advance(0, upTo(7, 0))
    handle.horizon() shouldBe 7
    g.gate.close(0)
    handle.horizon() shouldBe 9
    g.insert(12, 1)
    handle.horizon() shouldBe 12
    g.gate.close(1)
    handle.horizon() shouldBe 12
    g.ready() shouldBe Vector((12L, 1))
    handle.horizon() shouldBe Long.MaxValue
  }

  test("the horizon holds back a source that comes later, as reading does") {
    val gate = new ScaleGate[StreamTuple](EventOrder.Tuples, 10)
    val source = gate.addSource()
    val reader = gate.addReader()
    source.advance(upTo(8, 0))
    reader.horizon() shouldBe 8
    val late = gate.addSource()
    an[OutOfOrderException] should be thrownBy late.tryAdd(tuple(7, 1))
    late.tryAdd(tuple(8, 1)) shouldBe true
    reader.horizon() shouldBe 8
  }

  test("a gate without inputs or handles is refused") {
    an[IllegalArgumentException] should be thrownBy new Setup(inputs = 0)
    an[IllegalArgumentException] should be thrownBy new Setup(inputs = 1, handles = 0)
  }

  test("while inputs deliver, a reader's horizon never passes what it reads next") {
    for (round <- Sample.some(1 to 7, 2)) {
      val inputs = 3
      val n = if (Sample.isSoak) 2000L else 800L
      val g = new Setup(inputs, capacity = 50)
      val feeders = (0 until inputs).map { input => () =>
        val patience = new Threads.Patience
        var ts = input.toLong
        while (ts < n) {
          if (ts % 7 == round % 7) g.gate.advance(input, upTo(ts, input))
          patience.until(g.insert(ts, input))
          ts += inputs
        }
        g.gate.close(input)
        0
      }
      val reader = () => {
        val patience = new Threads.Patience
        val handle = g.gate.handle(0)
        var read = 0
        var horizon = Long.MinValue
        patience.until {
          val now = handle.horizon()
          assert(now >= horizon, "the horizon fell")
          horizon = now
          val t = handle.getNextReadyTuple()
          if (t != null) {
            assert(t.ts >= horizon, s"${t.ts} was read beyond the horizon $horizon")
            read += 1
          }
          handle.isDone
        }
        read
      }
      Threads.run(feeders :+ reader).last shouldBe n.toInt
    }
  }
}

package io.scalegate.gate

import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.matchers.should.Matchers

/** What every gate promises to one thread that plays all the parts (the design's Order, Ready,
  * Memory).
  */
abstract class GateContract extends AnyFunSuite with Matchers with GateFixture {
  private class Setup(sources: Int, capacity: Int = 100) {
    val gate: GateRole = newGate(capacity)
    val source: Vector[SourceRole] = Vector.fill(sources)(gate.addSource())
    val reader: ReaderRole = gate.addReader()

    def deliver(ts: Long, s: Int, seq: Long = 0L): Boolean = source(s).tryAdd(tuple(ts, s, seq))
    def ready(): Vector[(Long, Int)] = drain(reader).map(t => (t.ts, t.source))
  }

  test("an empty gate has nothing ready and is not done") {
    val g = new Setup(1)
    g.ready() shouldBe empty
    g.reader.isDone shouldBe false
  }

  test("a gate that has no source yet has nothing ready and is not done") {
    val g = new Setup(0)
    g.ready() shouldBe empty
    g.reader.isDone shouldBe false
  }

  test("closing the only source of an empty gate ends it") {
    val g = new Setup(1)
    g.source(0).close()
    g.ready() shouldBe empty
    g.reader.isDone shouldBe true
  }

  test("one source's last tuple is ready at once, not one tuple later") {
    val g = new Setup(1)
    g.deliver(7, 0) shouldBe true
    g.ready() shouldBe Vector((7L, 0))
    g.ready() shouldBe empty
  }

  test("the tuple handed out is the very object that was delivered") {
    val g = new Setup(1)
    val t = tuple(1, 0)
    g.source(0).tryAdd(t)
    g.reader.next() should be theSameInstanceAs t
  }

  test("a silent source holds back every tuple") {
    val g = new Setup(3)
    g.deliver(1, 0)
    g.deliver(2, 1)
    g.ready() shouldBe empty
    g.deliver(1, 2)
    g.ready() shouldBe Vector((1L, 0))
  }

  test("a tuple is ready exactly when no source can deliver one that sorts before it") {
    val g = new Setup(2)
    g.deliver(5, 0)
    g.deliver(4, 1)
    g.ready() shouldBe Vector((4L, 1))
    g.deliver(5, 1)
    g.ready() shouldBe Vector((5L, 0))
    g.deliver(6, 0)
    g.ready() shouldBe Vector((5L, 1))
  }

  test("ties in time are broken by source, then by sequence, whatever the arrival order") {
    val g = new Setup(3)
    g.deliver(5, 2, 0)
    g.deliver(5, 2, 1)
    g.deliver(5, 0, 7)
    g.deliver(5, 0, 8)
    g.deliver(5, 1, 0)
    g.source.foreach(_.close())
    drain(g.reader).map(triple) shouldBe
      Vector((5L, 0, 7L), (5L, 0, 8L), (5L, 1, 0L), (5L, 2, 0L), (5L, 2, 1L))
  }

  test("with all times equal, the tie-break decides what is ready") {
    val g = new Setup(2)
    g.deliver(5, 1, 0)
    g.deliver(5, 0, 0)
    g.ready() shouldBe Vector((5L, 0)) // source 0 may still deliver (5, 0, 1), before (5, 1, 0)
    g.deliver(5, 0, 1)
    g.ready() shouldBe Vector((5L, 0))
    g.source(0).advance(upTo(6, 0))
    g.ready() shouldBe Vector((5L, 1))
  }

  test("the extreme times are times like any other") {
    val g = new Setup(2)
    g.deliver(Long.MinValue, 0)
    g.ready() shouldBe empty
    g.deliver(Long.MinValue, 1)
    g.ready() shouldBe Vector((Long.MinValue, 0))
    g.deliver(Long.MaxValue, 0)
    g.ready() shouldBe Vector((Long.MinValue, 1))
    g.deliver(Long.MaxValue, 1)
    g.ready() shouldBe Vector((Long.MaxValue, 0))
    g.source(0).close()
    g.ready() shouldBe Vector((Long.MaxValue, 1))
  }

  test("advance releases what sorts before the punctuation and nothing later") {
    val g = new Setup(2)
    (1L to 4L).foreach(g.deliver(_, 0))
    g.source(1).advance(upTo(3, 1))
    g.ready() shouldBe Vector((1L, 0), (2L, 0), (3L, 0)) // (3, 0) sorts before any (3, 1)
    g.deliver(3, 1)
    g.ready() shouldBe Vector((3L, 1))
  }

  test("advance to what is already promised says nothing new") {
    val g = new Setup(2)
    g.deliver(5, 0)
    g.source(1).advance(upTo(4, 1))
    g.source(1).advance(upTo(2, 1))
    g.source(1).advance(upTo(4, 1))
    g.ready() shouldBe empty
    g.deliver(4, 1) shouldBe true
    g.ready() shouldBe Vector((4L, 1))
  }

  test("a closed source holds nothing back, and its tuples stay") {
    val g = new Setup(2)
    g.deliver(3, 0)
    g.deliver(1, 1)
    g.deliver(9, 1)
    g.source(1).close()
    g.ready() shouldBe Vector((1L, 1), (3L, 0))
    g.reader.isDone shouldBe false
    g.source(0).close()
    g.reader.isDone shouldBe false
    g.ready() shouldBe Vector((9L, 1))
    g.reader.isDone shouldBe true
  }

  test("a tuple out of order is refused with the source and both times, and the source goes on") {
    val g = new Setup(1)
    g.deliver(5, 0, 3)
    val late = the[IllegalArgumentException] thrownBy g.deliver(4, 0, 4)
    late.getMessage should (include("source 0") and include("time 4 ") and include("time 5"))
    val tie = the[IllegalArgumentException] thrownBy g.deliver(5, 0, 2)
    tie.getMessage should (include("source 0") and include("same place or later"))
    an[IllegalArgumentException] should be thrownBy g.deliver(5, 0, 3)
    g.deliver(5, 0, 4) shouldBe true
    g.ready() shouldBe Vector((5L, 0), (5L, 0))
  }

  test("a tuple out of order is refused when the earlier one was read and forgotten, too") {
    val g = new Setup(1, capacity = 1)
    g.deliver(5, 0, 3)
    (1 to 4).foreach(_ => g.ready())
    an[IllegalArgumentException] should be thrownBy g.deliver(5, 0, 3)
    an[IllegalArgumentException] should be thrownBy g.deliver(4, 0, 9)
    g.deliver(5, 0, 4) shouldBe true
  }

  test("a tuple before what its source promised is refused") {
    val g = new Setup(1)
    g.source(0).advance(upTo(8, 0))
    an[IllegalArgumentException] should be thrownBy g.deliver(7, 0)
    g.deliver(8, 0) shouldBe true
  }

  test("a promise of a time leaves room for every tuple of that time, whatever its number") {
    val g = new Setup(2)
    g.source(0).advance(upTo(8, 0))
    g.source(1).advance(upTo(8, 1))
    g.deliver(8, 1, Long.MinValue) shouldBe true
    g.ready() shouldBe empty // source 0 may still deliver (8, 0, …), which sorts before
    g.deliver(8, 0, Long.MinValue) shouldBe true
    g.ready() shouldBe Vector((8L, 0))
    g.source(1).advance(upTo(8, 1)) // says nothing new
    an[OutOfOrderException] should be thrownBy g.deliver(8, 1, Long.MinValue)
    g.deliver(8, 1, Long.MinValue + 1) shouldBe true
    g.source(0).close()
    g.ready() shouldBe Vector((8L, 1), (8L, 1))
  }

  test("a reader may close at any point of a stream and after its end, and the gate goes on") {
    val end = 4 // with the last step the sources close
    for (sources <- 1 to 2; first <- 0 to end; second <- first to end) {
      val g = new Setup(sources)
      val stays = g.gate.addReader()
      def step(ts: Int): Unit =
        if (ts < end) g.source.indices.foreach(g.deliver(ts.toLong, _) shouldBe true)
        else g.source.foreach(_.close())
      def readAll(): Int = {
        drain(g.reader)
        drain(stays).size
      }
      withClue(s"$sources sources, read after steps $first and $second of $end: ") {
        val read = Threads.run(Seq { () =>
          (1 to first).foreach(step)
          val some = readAll()
          (first + 1 to second).foreach(step)
          val more = readAll()
          g.reader.close()
          (second + 1 to end).foreach(step)
          val rest = drain(stays).size
          stays.close()
          val last = g.gate.addReader() // where the last one left
          last.next() shouldBe null
          last.isDone shouldBe true
          last.close()
          some + more + rest
        })
        read shouldBe Vector((end - 1) * sources)
      }
    }
  }

  test("a reader that has closed says so, and is done only if it was before") {
    for (atEnd <- Seq(false, true)) {
      val g = new Setup(1)
      g.deliver(1, 0)
      if (atEnd) {
        g.source(0).close()
        g.ready() should have size 1
      }
      g.reader.close()
      g.reader.isDone shouldBe atEnd
      an[IllegalStateException] should be thrownBy g.reader.next()
      an[IllegalStateException] should be thrownBy g.reader.horizon()
      an[IllegalStateException] should be thrownBy g.reader.fork()
      g.reader.isDone shouldBe atEnd
    }
  }

  test("a forked reader starts where the other stands, and outlives it") {
    val g = new Setup(1, capacity = 4)
    (1L to 3L).foreach(g.deliver(_, 0))
    g.reader.next().ts shouldBe 1
    val twin = g.reader.fork()
    g.ready() should have size 2
    g.reader.close()
    twin.horizon() shouldBe 2
    g.deliver(4, 0) shouldBe true
    g.deliver(5, 0) shouldBe true // the first was passed by both
    g.deliver(6, 0) shouldBe false
    drain(twin).map(_.ts) shouldBe Vector(2L, 3L, 4L, 5L)
  }

  test("null is refused, and so is what comes after close") {
    val g = new Setup(1)
    a[NullPointerException] should be thrownBy g.source(0).tryAdd(null)
    a[NullPointerException] should be thrownBy g.source(0).advance(null)
    g.source(0).close()
    g.source(0).close()
    an[IllegalStateException] should be thrownBy g.deliver(1, 0)
    an[IllegalStateException] should be thrownBy g.source(0).advance(upTo(1, 0))
    g.reader.close()
    g.reader.close()
    an[IllegalStateException] should be thrownBy g.reader.next()
  }

  test("a full source is told so, and has room exactly when the slowest reader passes a tuple") {
    for (capacity <- Seq(1, 2, 3, 7, 64, 1000)) {
      val g = new Setup(1, capacity)
      val slow = g.gate.addReader()
      (0 until capacity).foreach(n => g.deliver(n.toLong, 0) shouldBe true)
      g.deliver(9999, 0) shouldBe false
      g.ready() should have size capacity.toLong
      g.deliver(9999, 0) shouldBe false
      (0 until capacity).foreach { n =>
        slow.next().ts shouldBe n
        g.deliver(10000L + n, 0) shouldBe true
        g.deliver(99999, 0) shouldBe false
      }
    }
  }

  test("a full source does not take room from another") {
    val g = new Setup(2, capacity = 2)
    g.deliver(1, 0)
    g.deliver(2, 0)
    g.deliver(3, 0) shouldBe false
    g.deliver(1, 1) shouldBe true
    g.deliver(2, 1) shouldBe true
    g.deliver(3, 1) shouldBe false
    g.ready() shouldBe Vector((1L, 0), (1L, 1), (2L, 0))
    g.deliver(3, 0) shouldBe true
  }

  test("a full source may still advance and close") {
    val g = new Setup(2, capacity = 1)
    g.deliver(1, 0)
    g.deliver(2, 0) shouldBe false
    g.source(0).advance(upTo(5, 0))
    g.deliver(4, 1)
    g.ready() shouldBe Vector((1L, 0), (4L, 1))
    g.source(0).close()
    g.source(1).close()
    g.reader.isDone shouldBe true
  }

  test(
    "what one source delivers behind another's last tuple is read by a reader that stands there"
  ) {
    val g = new Setup(2)
    g.deliver(1, 0)
    g.deliver(1, 1)
    g.ready() shouldBe Vector((1L, 0))
    g.source(0).advance(upTo(2, 0)) // now the reader steps on (1, 1), the last node of source 1
    g.ready() shouldBe Vector((1L, 1))
    g.deliver(2, 0) // behind source 1's last node
    g.deliver(4, 0)
    g.ready() shouldBe empty
    g.deliver(3, 1)
    g.ready() shouldBe Vector((2L, 0), (3L, 1))
    g.deliver(5, 1)
    g.ready() shouldBe Vector((4L, 0))
  }

  test("every reader reads everything at its own pace") {
    val g = new Setup(2)
    val other = g.gate.addReader()
    g.deliver(1, 0)
    g.deliver(2, 1)
    g.ready() shouldBe Vector((1L, 0))
    g.deliver(3, 0)
    g.ready() shouldBe Vector((2L, 1))
    g.source.foreach(_.close())
    drain(other).map(_.ts) shouldBe Vector(1L, 2L, 3L)
    other.isDone shouldBe true
    g.reader.isDone shouldBe false
  }

  test("a reader that comes later starts where the slowest one stands") {
    val g = new Setup(1)
    (1L to 5L).foreach(g.deliver(_, 0))
    val slow = g.gate.addReader()
    g.ready() should have size 5
    slow.next().ts shouldBe 1
    slow.next().ts shouldBe 2
    drain(g.gate.addReader()).map(_.ts) shouldBe Vector(3L, 4L, 5L)
  }

  test("a gate without readers keeps its tuples for the one that comes") {
    val g = new Setup(1, capacity = 3)
    (1L to 2L).foreach(g.deliver(_, 0))
    g.reader.next().ts shouldBe 1
    g.reader.close()
    (3L to 4L).foreach(g.deliver(_, 0) shouldBe true)
    g.deliver(5, 0) shouldBe false
    drain(g.gate.addReader()).map(_.ts) shouldBe Vector(2L, 3L, 4L)
  }

  test("a reader that leaves makes room") {
    val g = new Setup(1, capacity = 2)
    val slow = g.gate.addReader()
    g.deliver(1, 0)
    g.deliver(2, 0)
    g.ready() should have size 2
    g.deliver(3, 0) shouldBe false
    slow.close()
    g.deliver(3, 0) shouldBe true
  }

  test("a source that comes later may not deliver what readers may have read") {
    val g = new Setup(1)
    g.deliver(1, 0)
    g.deliver(5, 0)
    g.ready() shouldBe Vector((1L, 0), (5L, 0))
    val late = g.gate.addSource()
    an[IllegalArgumentException] should be thrownBy late.tryAdd(tuple(4, 9))
    g.deliver(6, 0)
    g.ready() shouldBe empty
    late.tryAdd(tuple(6, -1)) shouldBe true
    g.ready() shouldBe Vector((6L, -1))
  }

  test("a source that comes before anything was read may deliver anything") {
    val g = new Setup(1)
    g.deliver(5, 0)
    val late = g.gate.addSource()
    g.ready() shouldBe empty
    late.tryAdd(tuple(Long.MinValue, 9)) shouldBe true
    late.close()
    g.ready() shouldBe Vector((Long.MinValue, 9), (5L, 0))
  }

  test("a source that comes later respects what a reader that left has read") {
    val g = new Setup(2)
    g.deliver(4, 0)
    g.deliver(9, 1)
    val stays = g.gate.addReader()
    g.ready() shouldBe Vector((4L, 0))
    g.reader.close()
    val late = g.gate.addSource()
    an[IllegalArgumentException] should be thrownBy late.tryAdd(tuple(3, 2))
    late.close()
    drain(stays).map(_.ts) shouldBe Vector(4L)
  }

  test("when every source has closed no source can come") {
    val g = new Setup(1)
    g.source(0).close()
    an[IllegalStateException] should be thrownBy g.gate.addSource()
  }
}

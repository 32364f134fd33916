package io.scalegate.gate

import java.lang.ref.WeakReference

import org.scalatest.concurrent.Eventually
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.matchers.should.Matchers
import org.scalatest.time.{Seconds, Span}

import io.scalegate.BoundedWait
import io.scalegate.stream.{EventOrder, StreamTuple}
import io.scalegate.tags.Concurrency

/** A gate holds nothing that every reader has passed: neither rows nor places in the list. */
@Concurrency
class ScaleGateMemorySuite extends AnyFunSuite with Matchers with Eventually
    with ScaleGateFixture {
  implicit override val patienceConfig: PatienceConfig =
    PatienceConfig(Span(BoundedWait.Seconds, Seconds))

  private class Setup(sources: Int, capacity: Int = 1000) {
    val gate = new ScaleGate[StreamTuple](EventOrder.Tuples, capacity)
    val source: Vector[GateSource[StreamTuple]] = Vector.fill(sources)(gate.addSource())
    val reader: GateReader[StreamTuple] = gate.addReader()

    /** Delivers a tuple whose row nobody else holds. */
    def deliver(ts: Long, s: Int): WeakReference[AnyRef] = {
      val t = tuple(ts, s)
      source(s).tryAdd(t) shouldBe true
      new WeakReference(t.row)
    }

    /** Reads what is ready and finds nothing more, as a reader that waits does. */
    def readAndIdle(from: GateReader[StreamTuple] = reader): Int = {
      val read = Iterator.continually(from.getNextReadyTuple()).takeWhile(_ != null).size
      (1 to 3).foreach(_ => from.getNextReadyTuple() shouldBe null)
      read
    }
  }

  private def gone(references: Iterable[WeakReference[_ <: AnyRef]]): Unit = eventually {
    System.gc()
    references.count(_.get != null) shouldBe 0
  }

  test("rows that every reader has passed are dropped, each source's last one included") {
    val g = new Setup(3)
    val slow = g.gate.addReader()
    val rows = for (ts <- 1L to 200L; s <- 0 to 2) yield g.deliver(ts, s)
    g.source.foreach(_.close())
    g.readAndIdle() shouldBe 600
    System.gc()
    rows.count(_.get != null) shouldBe 600
    g.readAndIdle(slow) shouldBe 600
    gone(rows)
    slow.isDone shouldBe true
  }

  test("an open source's last row is dropped as soon as it is passed and the reader waits") {
    val g = new Setup(2)
    val rows = (1L to 10L).map(g.deliver(_, 0))
    g.source(1).advance(upTo(11, 1))
    g.readAndIdle() shouldBe 10
    gone(rows)
    g.source(0).promised.map(_.ts) shouldBe Some(10)
    an[OutOfOrderException] should be thrownBy g.source(0).tryAdd(tuple(10, 0))
  }

  test("a tuple given as a punctuation is not kept, only its place in the order") {
    val g = new Setup(1)
    def advance(): WeakReference[AnyRef] = {
      val t = tuple(5, 0)
      g.source(0).advance(t)
      new WeakReference(t.row)
    }
    gone(Seq(advance()))
    g.source(0).promised.map(_.ts) shouldBe Some(5)
  }

  test("a reader that leaves no longer keeps rows") {
    val g = new Setup(1)
    val slow = g.gate.addReader()
    val rows = (1L to 100L).map(g.deliver(_, 0))
    g.readAndIdle() shouldBe 100
    slow.close()
    gone(rows)
  }

  test("a source that only advances does not keep the list behind it alive") {
    val g = new Setup(2)
    var firstPassed: WeakReference[Node[StreamTuple]] = null
    for (ts <- 1L to 5000L) {
      g.deliver(ts, 0)
      g.source(1).advance(upTo(ts + 1, 1))
      g.readAndIdle() shouldBe 1
      if (ts == 100L) firstPassed = new WeakReference(g.gate.trail.node(0))
    }
    gone(Seq(firstPassed))
  }

  test("a passed place in the list keeps no later one alive") {
    val g = new Setup(1)
    g.deliver(1, 0)
    g.readAndIdle()
    val passed = g.gate.trail.node(0) // held here, as a dead node in the old generation would be
    (2L to 200L).foreach(g.deliver(_, 0))
    val later = new WeakReference(passed.next(0))
    g.readAndIdle()
    (201L to 2000L).foreach { ts =>
      g.deliver(ts, 0)
      g.readAndIdle()
    }
    gone(Seq(later))
    passed.next(0) should be theSameInstanceAs passed
  }

  test("a handle that is closed keeps nothing of the gate's list") {
    val g = new Setup(2)
    g.deliver(1, 0)
    g.source(1).close()
    g.readAndIdle()
    val node = new WeakReference(g.gate.trail.node(0))
    (2L to 5000L).foreach { ts =>
      g.deliver(ts, 0)
      g.readAndIdle()
    }
    gone(Seq(node))
  }
}

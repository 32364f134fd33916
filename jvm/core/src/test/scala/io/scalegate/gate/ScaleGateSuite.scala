package io.scalegate.gate

import java.util.concurrent.atomic.AtomicInteger

import io.scalegate.BoundedWait
import io.scalegate.stream.{EventOrder, StreamTuple}

class ScaleGateSuite extends GateContract with ScaleGateFixture {

  /** An order of tuples that does something before each key or comparison it gives. */
  private class BusyOrder(before: () => Unit) extends EventOrder[StreamTuple] {
    def ts(t: StreamTuple): Long = t.ts
    def key(t: StreamTuple): StreamTuple = { before(); EventOrder.Tuples.key(t) }
    def compareTies(a: StreamTuple, b: StreamTuple): Int = {
      before()
      EventOrder.Tuples.compareTies(a, b)
    }
  }

  test("no code of the order runs while others wait for it: it may use the gate itself") {
    var gate: ScaleGate[StreamTuple] = null
    val calls = new AtomicInteger
    var inside = false
    val order = new BusyOrder(() =>
      if (!inside) {
        inside = true
        calls.incrementAndGet()
        gate.addReader().close()
        inside = false
      }
    )
    Threads.run(Seq { () =>
      gate = new ScaleGate(order, 4)
      val source = gate.addSource()
      val readers = Vector.fill(2)(gate.addReader())
      for (ts <- 1L to 20L) {
        source.tryAdd(tuple(ts, 0)) shouldBe true
        source.tryAdd(tuple(ts, 0, 1)) shouldBe true
        readers.foreach { r =>
          (1 to 5).count(_ => r.getNextReadyTuple() != null) shouldBe 2
        }
      }
      readers.foreach(_.close())
      gate.addSource().promised.map(_.ts) shouldBe Some(20)
    })
    calls.get should be > 20
  }

  test("an order that fails leaves a reader that can be closed again, and a gate that goes on") {
    var isBroken = false
    val order = new BusyOrder(() => if (isBroken) throw new ArithmeticException("no order"))
    val gate = new ScaleGate(order, 2)
    val source = gate.addSource()
    val (slow, fast) = (gate.addReader(), gate.addReader())
    (1L to 2L).foreach(ts => source.tryAdd(tuple(ts, 0)) shouldBe true)
    slow.getNextReadyTuple().ts shouldBe 1
    (1L to 2L).foreach(fast.getNextReadyTuple().ts shouldBe _)
    isBroken = true
    an[ArithmeticException] should be thrownBy slow.close()
    isBroken = false
    slow.close()
    (3L to 4L).foreach(ts => source.tryAdd(tuple(ts, 0)) shouldBe true)
    (3L to 4L).foreach(fast.getNextReadyTuple().ts shouldBe _)
    fast.close()
    gate.addReader().position shouldBe 4
  }

  test("who adds a reader while another cleans for long does not keep the processor") {
    val gate = new ScaleGate[StreamTuple](EventOrder.Tuples, 4)
    @volatile var isHeld = false
    @volatile var isReleased = false
    val holder = new Thread(() =>
      gate.trail.join { (_, _) =>
        isHeld = true
        BoundedWait.until("release of the trail")(isReleased)
      }
    )
    val waiting = new Thread(() => gate.addReader().close())
    try {
      holder.start()
      BoundedWait.until("holder of the trail")(isHeld)
      waiting.start()
      BoundedWait.until("parked thread")(waiting.getState == Thread.State.TIMED_WAITING)
    } finally {
      isReleased = true
      Seq(holder, waiting).foreach(_.join())
    }
  }
}

class ScaleGateConcurrencySuite extends GateConcurrencyContract with ScaleGateFixture

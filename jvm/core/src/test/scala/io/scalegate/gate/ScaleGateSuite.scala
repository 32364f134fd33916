package io.scalegate.gate

import java.util.concurrent.Executors
import java.util.concurrent.atomic.AtomicInteger

import scala.util.Random

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

  /** Four sources, each with tuples of few times, which the order has to compare. */
  private class Ties(before: () => Unit) {
    val gate = new ScaleGate[StreamTuple](new BusyOrder(before), 1000)
    val sources: Vector[GateSource[StreamTuple]] = Vector.fill(4)(gate.addSource())
    private val all = Vector.tabulate(4, 40)((s, i) => tuple(1 + i / 20L, s, i.toLong))
    private val delivered = new Array[Int](4)

    def next(s: Int): Option[StreamTuple] = all(s).lift(delivered(s))
    def deliver(s: Int): Unit = next(s).foreach { t =>
      sources(s).tryAdd(t) shouldBe true
      delivered(s) += 1
    }

    /** That each level has just the nodes of its height, in the order of those below. */
    def assertLevels(): Unit = {
      def nodes(level: Int) =
        Iterator.iterate(gate.trail.node(level).next(level))(_.next(level)).takeWhile(_ != null)
      val lowest = nodes(0).toVector
      for (level <- 1 until Node.MaxHeight)
        nodes(level).map(_.tuple).toVector shouldBe lowest.filter(_.height > level).map(_.tuple)
    }

    def assertAllIsRead(): Unit = {
      val reader = gate.addReader()
      sources.foreach(_.close())
      val read = Iterator.continually(reader.getNextReadyTuple()).takeWhile(_ != null)
      read.map(triple).toVector shouldBe all.flatten.map(triple).sorted
      reader.isDone shouldBe true
    }
  }

  test(
    "an order that fails leaves nothing of the tuple that it was to place, wherever it fails"
  ) {
    Threads.run(Seq { () =>
      for (seed <- 0 until 40) {
        val random = new Random(seed)
        var calls = -1
        val ties = new Ties(() => {
          calls -= 1
          if (calls == 0) throw new ArithmeticException("no order")
        })
        while ((0 until 4).exists(ties.next(_).nonEmpty)) {
          calls = random.nextInt(12)
          try {
            val s = random.nextInt(4)
            if (random.nextInt(8) > 0) ties.deliver(s)
            else ties.next(s).foreach(t => ties.sources(s).advance(upTo(t.ts, s)))
          } catch { case e: ArithmeticException => e.getMessage shouldBe "no order" }
          calls = -1
        }
        ties.assertLevels()
        ties.assertAllIsRead()
      }
    })
  }

  test("a tuple is placed beside one of its time that comes while the order compares it") {
    val other = Executors.newSingleThreadExecutor()
    try
      for (seed <- 0 until 40) {
        val random = new Random(seed)
        @volatile var meanwhile: () => Unit = () => ()
        val ties = new Ties(() => {
          val now = meanwhile
          meanwhile = () => ()
          now()
        })
        while ((0 until 4).exists(ties.next(_).nonEmpty)) {
          val skipped = random.nextInt(6)
          def after(calls: Int): () => Unit = () =>
            if (calls > 0) meanwhile = after(calls - 1)
            else other.submit((() => (2 to 3).foreach(ties.deliver)): Runnable).get()
          meanwhile = after(skipped)
          ties.deliver(random.nextInt(2))
          meanwhile = () => ()
          if (random.nextInt(4) == 0) (2 to 3).foreach(ties.deliver)
        }
        ties.assertLevels()
        ties.assertAllIsRead()
      }
    finally other.shutdownNow()
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

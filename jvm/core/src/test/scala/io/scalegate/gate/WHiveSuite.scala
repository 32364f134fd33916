package io.scalegate.gate

import java.lang.ref.WeakReference

import org.scalacheck.Gen
import org.scalatest.concurrent.Eventually
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.matchers.should.Matchers
import org.scalatest.time.{Seconds, Span}
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import io.scalegate.stream.SlidingWindows
import io.scalegate.tags.Concurrency
import io.scalegate.{BoundedWait, Sample}

/** What a hive promises to one thread that plays all the parts, and to many; and what it holds.
  */
@Concurrency
abstract class HiveContract(shortcuts: Boolean)
    extends AnyFunSuite
    with Matchers
    with Eventually
    with ScalaCheckPropertyChecks {
  implicit override val patienceConfig: PatienceConfig =
    PatienceConfig(Span(BoundedWait.Seconds, Seconds))

  private def hiveOf(windows: SlidingWindows, threads: Int, capacity: Int = 1000) =
    ListedWinset.hive(windows, threads, capacity, shortcuts)

  private def taken(hive: ListedWinset.Hive): Vector[String] =
    Iterator.continually(hive.getNextWinSet()).takeWhile(_ != null).map(_.toString).toVector

  private val four = SlidingWindows(4, 2)

  test("an empty hive has nothing to take and is not done") {
    val hive = hiveOf(four, 1)
    taken(hive) shouldBe empty
    hive.isDone shouldBe false
    hive.frontier() shouldBe Long.MinValue
  }

  test("closing every thread of an empty hive ends it") {
    val hive = hiveOf(four, 2)
    (0 to 1).foreach(hive.close)
    taken(hive) shouldBe empty
    hive.isDone shouldBe true
    hive.frontier() shouldBe Long.MaxValue
  }

  test("a winset is handed out exactly when no thread can contribute to it any more") {
    val hive = hiveOf(four, 2)
    hive.updateWindows(2L, 0) shouldBe true // [0, 4) and [2, 6)
    hive.updateWindows(3L, 1)
    taken(hive) shouldBe empty
    hive.advance(0, 4)
    taken(hive) shouldBe empty // thread 1 may bring another 3
    hive.updateWindows(4L, 1)
    taken(hive) shouldBe Vector("0: 2|3")
    hive.frontier() shouldBe 4
    hive.advance(1, 5)
    hive.advance(0, 5)
    taken(hive) shouldBe empty // 5 is in [2, 6)
    hive.advance(1, 6)
    hive.advance(0, 6)
    taken(hive) shouldBe Vector("2: 2|3,4")
    hive.frontier() shouldBe 6
  }

  test("a silent thread holds every winset until it advances or closes") {
    val hive = hiveOf(four, 3)
    hive.updateWindows(1L, 0)
    hive.updateWindows(9L, 0)
    hive.advance(1, 20)
    taken(hive) shouldBe empty
    hive.advance(2, 3)
    taken(hive) shouldBe Vector("-2: 1||")
    hive.close(2)
    taken(hive) shouldBe Vector("0: 1||")
    hive.close(0)
    taken(hive) shouldBe Vector("6: 9||", "8: 9||")
    hive.isDone shouldBe false
    hive.close(1)
    hive.isDone shouldBe true
  }

  test("a window that holds no tuple is not handed out") {
    val hive = hiveOf(SlidingWindows(2, 5), 1)
    hive.updateWindows(0L, 0)
    hive.updateWindows(3L, 0) // in a gap
    hive.updateWindows(16L, 0)
    hive.close(0)
    taken(hive) shouldBe Vector("0: 0", "15: 16")
  }

  test("windows at the ends of time are complete when nothing can fall into them any more") {
    val hive = hiveOf(SlidingWindows(10, 10), 1)
    hive.updateWindows(Long.MinValue, 0) // before the first window
    hive.updateWindows(Long.MinValue + 8, 0)
    hive.updateWindows(Long.MaxValue, 0)
    taken(hive) shouldBe Vector(s"${Long.MinValue + 8}: ${Long.MinValue + 8}")
    hive.advance(0, Long.MaxValue)
    taken(hive) shouldBe empty
    hive.close(0)
    taken(hive) shouldBe Vector(s"${Long.MaxValue - 7}: ${Long.MaxValue}")
  }

  test("a tuple before what its thread promised is refused, and so is one after close") {
    val hive = hiveOf(four, 1)
    hive.advance(0, 8)
    hive.advance(0, 5)
    val late = the[OutOfOrderException] thrownBy hive.updateWindows(7L, 0)
    late.getMessage should (include("thread 0") and include("time 7") and include("time 8"))
    hive.updateWindows(8L, 0) shouldBe true
    hive.close(0)
    hive.close(0)
    an[IllegalStateException] should be thrownBy hive.updateWindows(9L, 0)
    an[IllegalStateException] should be thrownBy hive.advance(0, 9)
  }

  test("a full hive refuses what makes winsets until one is taken, and takes what does not") {
    val hive = hiveOf(SlidingWindows(1, 1), 1, capacity = 3)
    (0L to 2L).foreach(hive.updateWindows(_, 0) shouldBe true)
    hive.updateWindows(3L, 0) shouldBe false
    hive.updateWindows(2L, 0) shouldBe true
    hive.getNextWinSet().start shouldBe 0
    hive.updateWindows(3L, 0) shouldBe true
    hive.updateWindows(4L, 0) shouldBe false
    hive.held shouldBe 3
  }

  test("a full hive lets the thread go on that all wait for") {
    val hive = hiveOf(SlidingWindows(1, 1), 2, capacity = 2)
    (5L to 6L).foreach(hive.updateWindows(_, 0) shouldBe true)
    hive.updateWindows(7L, 0) shouldBe false
    (1L to 3L).map(hive.updateWindows(_, 1)) shouldBe Seq(true, true, false)
    hive.getNextWinSet().start shouldBe 1
    hive.getNextWinSet() shouldBe null
  }

  test("is the definition, whatever one thread does in its name") {
    val step = Gen.zip(Gen.choose(0, 2), Gen.choose(0, 5), Gen.choose(0L, 9L))
    val windows =
      Gen.zip(Gen.choose(1L, 9L), Gen.choose(1L, 9L)).map((SlidingWindows(_, _)).tupled)
    forAll(windows, Gen.listOf(step), minSuccessful(500)) { (w, steps) =>
      val hive = hiveOf(w, 3)
      val definition = new HiveDefinition(w, 3)
      val now = Array(0L, 0L, 0L)
      val open = Array(true, true, true)
      steps.foreach { case (thread, kind, by) =>
        if (open(thread)) {
          now(thread) += by
          if (kind <= 2) {
            hive.updateWindows(now(thread), thread) shouldBe true
            definition.update(now(thread), thread)
          } else if (kind == 3) {
            hive.advance(thread, now(thread))
            definition.advance(thread, now(thread))
          } else if (by == 9) {
            open(thread) = false
            hive.close(thread)
            definition.close(thread)
          }
        }
        if (kind == 5) Option(hive.getNextWinSet()).map(_.toString) shouldBe
          definition.take().map(_.toString)
      }
      (0 to 2).foreach { t => hive.close(t); definition.close(t) }
      taken(hive) shouldBe
        Iterator.continually(definition.take()).takeWhile(_.isDefined).map(_.get.toString).toVector
    }
  }

  test("many threads: every tuple is in each of its windows once, and winsets come in order") {
    val cases = Seq(SlidingWindows(10, 1), SlidingWindows(7, 3), SlidingWindows(3, 7))
    // In a run of the tests each of the windows is tried with two of the capacities.
    for {
      (w, i) <- cases.zipWithIndex
      (capacity, j) <- Seq(1, 3, 1000).zipWithIndex if Sample.isSoak || i != j
      round <- Sample.turn(1 to 2, i + j)
    } {
      val threads = 4
      val n = if (capacity < 10) 100L else 2000L
      val hive = hiveOf(w, threads, capacity)
      val updaters = (0 until threads).map { t => () =>
        val patience = new Threads.Patience
        var ts = t.toLong
        while (ts < n) {
          if (ts % 11 == 0) hive.advance(t, ts)
          patience.until(hive.updateWindows(ts, t))
          ts += 1 + (ts * (t + round)) % 5
        }
        hive.close(t)
        Vector.empty[ListedWinset]
      }
      val consumer = () => {
        val patience = new Threads.Patience
        val all = Vector.newBuilder[ListedWinset]
        patience.until {
          val frontier = hive.frontier()
          val next = hive.getNextWinSet()
          if (next != null) {
            assert(w.end(next.start) >= frontier, "taken beyond the frontier")
            all += next
          }
          hive.isDone
        }
        all.result()
      }
      val results = Threads.run(updaters :+ consumer).last
      val definition = new HiveDefinition(w, threads)
      for (t <- 0 until threads) {
        var ts = t.toLong
        while (ts < n) {
          definition.update(ts, t)
          ts += 1 + (ts * (t + round)) % 5
        }
        definition.close(t)
      }
      results.map(_.toString) shouldBe
        Iterator.continually(definition.take()).takeWhile(_.isDefined).map(_.get.toString).toVector
    }
  }

  /** All but so many at most. */
  private def gone(references: Iterable[WeakReference[_ <: AnyRef]], but: Int = 0): Unit =
    eventually {
      System.gc()
      references.count(_.get != null) should be <= but
    }

  test("a taken winset is not held, not even by a thread that last updated it and is silent") {
    val hive = hiveOf(four, 2)
    hive.updateWindows(1L, 0) // thread 0's finger stays here
    hive.updateWindows(1L, 1)
    hive.advance(0, 100000)
    def take(): WeakReference[ListedWinset] = new WeakReference(hive.getNextWinSet())
    hive.advance(1, 10)
    val first = Seq(take(), take())
    val winsets = for (ts <- 10L to 2000L by 2) yield {
      hive.updateWindows(ts, 1)
      take()
    }
    gone(first ++ winsets)
    hive.updateWindows(100000L, 0) shouldBe true
  }

  test("a taken place in the list keeps no later one alive") {
    val hive = hiveOf(SlidingWindows(1, 1), 1)
    hive.updateWindows(0L, 0)
    hive.advance(0, 1)
    hive.getNextWinSet().start shouldBe 0
    val dead = hive.lastTaken // held here, as by a node in the old generation
    def next(ts: Long): WeakReference[HiveNode[ListedWinset]] = {
      hive.updateWindows(ts, 0)
      hive.advance(0, ts + 1)
      hive.getNextWinSet().start shouldBe ts
      new WeakReference(hive.lastTaken)
    }
    val nodes = (1L to 100L).map(next).init
    // A head of each level of shortcuts, and a finger.
    gone(nodes, but = if (shortcuts) 2 * (HiveNode.MaxHeight - 1) else 0)
    dead.isDead shouldBe true
  }

  test("a thread whose winset could not be made goes on, and adds its tuples once") {
    var isFailing = false
    val keeper = ListedWinset.keeper(1, () => if (isFailing) throw new ArithmeticException)
    val hive = new WHive[java.lang.Long, ListedWinset](four, keeper, 1, 100, shortcuts)
    hive.updateWindows(1L, 0) // makes [-2, 2) and [0, 4)
    isFailing = true
    an[ArithmeticException] should be thrownBy hive.updateWindows(2L, 0) // [0, 4) and [2, 6)
    isFailing = false
    hive.updateWindows(2L, 0) shouldBe true
    hive.close(0)
    taken(hive) shouldBe Vector("-2: 1", "0: 1,2", "2: 2")
  }

  test("a thread that was silent finds its windows behind any number of others") {
    val hive = hiveOf(SlidingWindows(3, 1), 3, capacity = 100000)
    val definition = new HiveDefinition(SlidingWindows(3, 1), 3)
    def update(ts: Long, thread: Int): Unit = {
      hive.updateWindows(ts, thread) shouldBe true
      definition.update(ts, thread)
    }
    for (round <- 0L to 3L) {
      val from = round * 3000
      (from until from + 2000).foreach(update(_, 0))
      update(from + 1990, 1) // behind all of them, and then before the last
      update(from + 1200, 2)
      (from + 1990 to from + 2010 by 5).foreach(update(_, 1))
      (from + 1201 until from + 2400 by 7).foreach(update(_, 2))
      for (thread <- 0 to 2) {
        hive.advance(thread, from + 2500)
        definition.advance(thread, from + 2500)
      }
      taken(hive) shouldBe
        Iterator.continually(definition.take()).takeWhile(_.isDefined).map(_.get.toString).toVector
    }
  }

  test("a hive needs threads and room") {
    an[IllegalArgumentException] should be thrownBy hiveOf(four, 0)
    an[IllegalArgumentException] should be thrownBy hiveOf(four, 1, capacity = 0)
  }
}

class WHiveSuite extends HiveContract(shortcuts = false)

class WHiveWithShortcutsSuite extends HiveContract(shortcuts = true)

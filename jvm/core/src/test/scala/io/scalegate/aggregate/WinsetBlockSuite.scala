package io.scalegate.aggregate

import java.lang.ref.WeakReference

import org.scalatest.concurrent.Eventually
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.time.{Seconds, Span}

class WinsetBlockSuite extends AnyFunSuite with Eventually {
  implicit override val patienceConfig: PatienceConfig = PatienceConfig(Span(30, Seconds))

  /** Which tuples, and in which order. */
  private object Texts extends AggregateFunction[String, StringBuilder, String] {
    def name = "texts"
    def create() = new StringBuilder
    def add(state: StringBuilder, t: String): StringBuilder = state.append(t)
    def merge(a: StringBuilder, b: StringBuilder): StringBuilder = a.append(b)
    def result(state: StringBuilder): String = state.toString
  }

  private type Block = WinsetBlock[StringBuilder, Array[AnyRef]]

  private def block(lanes: Int): Block = new WinsetBlock(new ObjectRows(Texts), lanes, 8, 1)

  private def add(
      to: Block,
      lane: Int,
      key: String,
      windows: Range,
      t: String
  ): Unit = Texts.addToEach(
    to.table(lane).row(key, StateTable.hash(key)),
    windows.start,
    windows.end,
    t
  )

  private def take(from: Block, index: Int, isKeyOwned: Boolean = false) = {
    val taken = new TakenStates
    from.take(index, if (isKeyOwned) null else Texts, taken)
    taken.keys.zip(taken.states).map { case (k, s) => s"$k:$s" }.sorted.mkString(" ")
  }

  test("a window has the keys that were added to it, others of the block or not") {
    val b = block(1)
    add(b, 0, "a", 0 until 3, "1")
    add(b, 0, null, 1 until 4, "2")
    add(b, 0, "a", 2 until 5, "3")
    assert((0 to 5).map(take(b, _)) == Seq(
      "a:1",
      "a:1 null:2",
      "a:13 null:2",
      "a:3 null:2",
      "a:3",
      ""
    ))
  }

  test("what lanes have of a key is merged in their order, whichever came first") {
    val b = block(4)
    add(b, 2, "a", 0 until 3, "2")
    add(b, 2, "b", 0 until 2, "2")
    assert(take(b, 0) == "a:2 b:2", "no other lane has been there")
    add(b, 3, "a", 1 until 4, "3")
    add(b, 0, "a", 1 until 2, "0")
    assert(take(b, 1) == "a:023 b:2")
    add(b, 1, "a", 2 until 4, "1")
    add(b, 1, "c", 3 until 4, "1")
    assert(take(b, 2) == "a:123")
    assert(take(b, 3) == "a:13 c:1")
    assert(take(b, 4) == "")
  }

  test("keys that are one thread's are not merged") {
    val b = block(3)
    add(b, 2, "a", 0 until 1, "2")
    add(b, 0, "b", 0 until 1, "0")
    assert(take(b, 0, isKeyOwned = true) == "a:2 b:0")
  }

  test("many keys, in several lanes, grow the tables") {
    val b = block(2)
    val keys = (0 until 1000).map(i => f"$i%04d")
    for (k <- keys; lane <- 0 to 1) add(b, lane, k, lane until 2, s"$lane")
    assert(take(b, 0) == keys.map(k => s"$k:0").mkString(" "))
    assert(take(b, 1) == keys.map(k => s"$k:01").mkString(" "))
    assert(b.mostKeys == 1000)
  }

  for (lanes <- 1 to 2) test(s"a block keeps no state that was taken, of $lanes lanes") {
    val b = block(lanes)
    for (lane <- 0 until lanes) add(b, lane, "a", 0 until 8, "x")
    val states = (0 until lanes).flatMap { lane =>
      b.table(lane).row("a", StateTable.hash("a")).take(4).map(new WeakReference(_))
    }
    (0 until 4).foreach(take(b, _))
    eventually {
      System.gc()
      assert(states.count(_.get != null) == 0)
    }
    assert(take(b, 4) == "a:" + "x" * lanes)
  }
}

package io.scalegate.aggregate

import java.lang.ref.WeakReference

import scala.collection.mutable.ArrayBuffer

import org.scalatest.concurrent.Eventually
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.time.{Seconds, Span}

class WinsetBlockSuite extends AnyFunSuite with Eventually {
  implicit override val patienceConfig: PatienceConfig = PatienceConfig(Span(30, Seconds))

  /** Which tuples, and in which order. */
  private class Texts extends AggregateFunction[String, StringBuilder, String] {
    def name = "texts"
    def create() = new StringBuilder
    def add(state: StringBuilder, t: String): StringBuilder = state.append(t)
    def merge(a: StringBuilder, b: StringBuilder): StringBuilder = a.append(b)
    def result(state: StringBuilder): String = state.toString
  }

  private object Texts extends Texts

  private type Block[T] = WinsetBlock[_ <: LaneStates[T]]

  private def block[T](
      lanes: Int,
      function: AggregateFunction[T, _ <: AnyRef, _],
      isKeyOwned: Boolean = false
  ): Block[T] = blockOf(function.layout, lanes, isKeyOwned)

  private def blockOf[T, L <: LaneStates[T]](
      layout: StateLayout[T, L],
      lanes: Int,
      isKeyOwned: Boolean
  ): Block[T] = new WinsetBlock(layout, lanes, 8, 1, isKeyOwned)

  private def add[T](to: Block[T], lane: Int, key: String, windows: Range, t: T): Unit = {
    val in = to.lane(lane)
    in.states.addToEach(in.number(key, StateTable.hash(key)), windows.start, windows.end, t)
  }

  private def touch[T](to: Block[T], lane: Int, key: String, windows: Range): Unit = {
    val in = to.lane(lane)
    in.states.touchEach(in.number(key, StateTable.hash(key)), windows.start, windows.end)
  }

  private def take(from: Block[_], index: Int) = {
    val taken = new TakenResults
    from.take(index, taken)
    taken.keys.zip(taken.results).map { case (k, s) => s"$k:$s" }.sorted.mkString(" ")
  }

  test("a window has the keys that were added to it, others of the block or not") {
    val b = block(1, Texts)
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
    val b = block(4, Texts)
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
    val b = block(3, Texts, isKeyOwned = true)
    add(b, 2, "a", 0 until 1, "2")
    add(b, 0, "b", 0 until 1, "0")
    assert(take(b, 0) == "a:2 b:0")
  }

  test("many keys, in several lanes, grow the tables") {
    val b = block(2, Texts)
    val keys = (0 until 1000).map(i => f"$i%04d")
    for (k <- keys; lane <- 0 to 1) add(b, lane, k, lane until 2, s"$lane")
    assert(take(b, 0) == keys.map(k => s"$k:0").mkString(" "))
    assert(take(b, 1) == keys.map(k => s"$k:01").mkString(" "))
    assert(b.mostKeys == 1000)
  }

  for (lanes <- 1 to 2) test(s"a block keeps no state that was taken, of $lanes lanes") {
    val made = ArrayBuffer.empty[WeakReference[StringBuilder]]
    val b = block(
      lanes,
      new Texts {
        override def create() = {
          val state = super.create()
          made += new WeakReference(state)
          state
        }
      }
    )
    for (lane <- 0 until lanes) add(b, lane, "a", 0 until 4, "x")
    (0 until 4).foreach(take(b, _))
    for (lane <- 0 until lanes) add(b, lane, "a", 4 until 8, "x")
    eventually {
      System.gc()
      assert(made.count(_.get != null) == 4 * lanes)
    }
    assert(take(b, 4) == "a:" + "x" * lanes)
  }

  test("counts are those of the windows taken, some skipped, over gaps and to the block's end") {
    val b = block(1, Functions.count)
    add(b, 0, "a", 0 until 2, ())
    add(b, 0, "b", 0 until 1, ())
    add(b, 0, "a", 1 until 2, ())
    add(b, 0, "a", 5 until 8, ())
    add(b, 0, null, 6 until 8, ())
    add(b, 0, null, 6 until 7, ())
    assert(Seq(0, 1, 2, 5, 6, 7).map(take(b, _)) == Seq(
      "a:1 b:1",
      "a:2",
      "",
      "a:1",
      "a:1 null:2",
      "a:1 null:1"
    ))
  }

  test("lanes' counts of a key are added up, whichever came first") {
    val b = block(3, Functions.count)
    add(b, 1, "a", 0 until 4, ())
    add(b, 1, "b", 0 until 2, ())
    assert(take(b, 0) == "a:1 b:1", "no other lane has been there")
    add(b, 0, "c", 1 until 3, ())
    add(b, 0, "b", 1 until 3, ())
    add(b, 1, "d", 2 until 3, ())
    assert(take(b, 1) == "a:1 b:2 c:1")
    add(b, 2, "a", 2 until 4, ())
    assert(take(b, 2) == "a:2 b:1 c:1 d:1")
    assert(take(b, 3) == "a:2")
    assert(take(b, 4) == "")
  }

  for (owned <- Seq(false, true))
    test(s"many keys' counts grow the columns, keys ${if (owned) "apart" else "joined"}") {
      val b = block(2, Functions.count, owned)
      val keys = (0 until 1000).map(i => f"$i%04d")
      for (k <- keys; lane <- 0 to 1) add(b, lane, s"$lane$k", lane until 3, ())
      val first = keys.map(k => s"0$k:1")
      assert(take(b, 0) == first.mkString(" "))
      assert(take(b, 2) == (first ++ keys.map(k => s"1$k:1")).mkString(" "))
      assert(take(b, 3) == "")
    }

  test("a key that a function has passed over has a count of none, while its tuples last") {
    val b = block(2, Functions.count)
    touch(b, 0, "a", 0 until 3)
    add(b, 0, "a", 1 until 2, ())
    assert(take(b, 0) == "a:0")
    (0 until 100).foreach(i => add(b, 0, s"$i", 4 until 5, ()))
    touch(b, 1, "b", 2 until 4)
    add(b, 1, "a", 2 until 5, ())
    assert((1 to 3).map(take(b, _)) == Seq("a:1", "a:1 b:0", "a:1 b:0"))
    assert(take(b, 4) == (0 until 100).map(i => s"$i:1").appended("a:1").sorted.mkString(" "))
  }
}

package io.scalegate.multiway.winset

import java.lang.ref.WeakReference

import scala.collection.mutable.ArrayBuffer

import org.scalatest.concurrent.Eventually
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.time.{Seconds, Span}

import io.scalegate.BoundedWait
import io.scalegate.multiway.function.{
  AggregateFunction,
  Functions,
  Invertible,
  LaneStates,
  StateLayout,
  StateTable,
  TakenResults
}

class WinsetBlockSuite extends AnyFunSuite with Eventually {
  implicit override val patienceConfig: PatienceConfig =
    PatienceConfig(Span(BoundedWait.Seconds, Seconds))

  /** Which tuples, and in which order. */
  private class Texts extends AggregateFunction[String, StringBuilder, String] {
    def name = "texts"
    def create() = new StringBuilder
    def add(state: StringBuilder, t: String): StringBuilder = state.append(t)
    def merge(a: StringBuilder, b: StringBuilder): StringBuilder = a.append(b)
    def result(state: StringBuilder): String = state.toString
  }

  private object Texts extends Texts

  /** With an inverse: those that have come first go first. */
  private class Leaving extends Texts with Invertible[StringBuilder] {
    def subtract(state: StringBuilder, b: StringBuilder): StringBuilder = {
      assert(state.startsWith(b), s"$state does not begin with $b")
      state.delete(0, b.length)
    }
  }

  private type Block[T] = WinsetBlock[_ <: LaneStates[T]]

  private def block[T](
      lanes: Int,
      function: AggregateFunction[T, _ <: AnyRef, _],
      isKeyOwned: Boolean = false
  ): Block[T] = blockOf(function.layout(overlap = 5), lanes, isKeyOwned)

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

  private val made = ArrayBuffer.empty[WeakReference[StringBuilder]]

  private def remembered(state: StringBuilder) = {
    made += new WeakReference(state)
    state
  }

  private def held = made.count(_.get != null)

  for (lanes <- 1 to 2) test(s"a block keeps no state that was taken, of $lanes lanes") {
    made.clear()
    val b = block(lanes, new Texts { override def create() = remembered(super.create()) })
    for (lane <- 0 until lanes) add(b, lane, "a", 0 until 4, "x")
    (0 until 4).foreach(take(b, _))
    for (lane <- 0 until lanes) add(b, lane, "a", 4 until 8, "x")
    eventually {
      System.gc()
      assert(held == 4 * lanes)
    }
    assert(take(b, 4) == "a:" + "x" * lanes)
  }

  for (lanes <- 1 to 2) test(s"of an invertible function it keeps what lasts, of $lanes lanes") {
    made.clear()
    val b = block(lanes, new Leaving { override def create() = remembered(super.create()) })
    for (lane <- 0 until lanes; i <- 0 until 4) add(b, lane, "a", i until i + 2, "x")
    (0 to 3).foreach(take(b, _))
    eventually {
      System.gc()
      assert(held == 1 + 2 * lanes, "what has come, and what will have gone from each lane")
    }
    assert(take(b, 4) == "a:" + "x" * lanes)
    assert(take(b, 5) == "")
    for (lane <- 0 until lanes) add(b, lane, "a", 6 until 8, "x")
    eventually {
      System.gc()
      assert(held == lanes, "what has come again")
    }
    assert(take(b, 7) == "a:" + "x" * lanes)
  }

  test("what an inverse takes away is what has come first, in each key's order") {
    val b = block(2, new Leaving, isKeyOwned = true)
    add(b, 0, "a", 0 until 3, "1")
    add(b, 1, "b", 0 until 1, "2")
    add(b, 0, "a", 0 until 3, "3")
    add(b, 1, null, 2 until 5, "4")
    add(b, 0, "a", 2 until 5, "5")
    touch(b, 0, "a", 2 until 6)
    add(b, 1, "b", 4 until 8, "6")
    add(b, 0, "a", 6 until 8, "7")
    assert(Seq(0, 1, 2, 4, 5, 6, 7).map(take(b, _)) == Seq(
      "a:13 b:2",
      "a:13",
      "a:135 null:4",
      "a:5 b:6 null:4",
      "a: b:6",
      "a:7 b:6",
      "a:7 b:6"
    ))
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

  for {
    function <- Seq[AggregateFunction[Any, _ <: AnyRef, _]](
      Functions.count,
      Functions.sum((_: Any) => 1L)
    )
    owned <- Seq(false, true)
  }
    test(
      s"many keys grow the columns, ${function.name}, keys ${if (owned) "apart" else "joined"}"
    ) {
      val b = block(2, function, owned)
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

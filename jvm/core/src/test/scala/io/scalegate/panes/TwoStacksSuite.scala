package io.scalegate.panes

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

/** Two stacks against the panes themselves, with states that show the order in which they were merged. */
final class TwoStacksSuite extends AnyFunSuite {

  /** Texts, which are joined: each merge makes another. */
  private object Texts extends StateMerging[String] {
    override def changeable(state: String): String = state
    override def mergeInto(older: String, newer: String): String = older + newer
    override def bytesOf(state: String): Int = state.length
  }

  /** Texts that are joined where they lie. */
  private object Buffers extends StateMerging[StringBuilder] {
    override def changeable(state: StringBuilder): StringBuilder =
      new StringBuilder(state.toString)
    override def mergeInto(older: StringBuilder, newer: StringBuilder): StringBuilder =
      older.append(newer)
    override def bytesOf(state: StringBuilder): Int = 1
  }

  private def check[S <: AnyRef](merging: StateMerging[S], pane: Long => S): Unit = {
    val random = new Random(3)
    (1 to 200).foreach { _ =>
      val tested = new TwoStacks(merging)
      var held = Vector.empty[Long]
      var next = 0L
      (1 to 60).foreach { _ =>
        if (random.nextInt(3) > 0) {
          next += 1 + random.nextInt(3)
          tested.push(next, pane(next))
          held :+= next
        } else if (random.nextInt(20) == 0) {
          tested.clear()
          held = Vector.empty
        } else {
          val until = held.headOption.fold(next)(_ + random.nextInt(6))
          tested.evictBefore(until)
          held = held.filter(_ >= until)
        }
        assert(tested.isEmpty == held.isEmpty)
        assert((tested.bytes == 0) == held.isEmpty)
        assert(tested.size == held.size)
        if (held.nonEmpty) {
          assert(tested.oldest == held.head)
          assert(Seq(tested.older, tested.newer).filter(_ != null).mkString ==
            held.map(pane).mkString)
        }
      }
    }
  }

  test("the window's panes are merged in their order, whatever comes and is evicted") {
    check(Texts, n => s"$n,")
  }

  test("the same where states are merged in their place") {
    check(Buffers, n => new StringBuilder(s"$n,"))
  }

  test("a pane is merged at most twice, however many windows it is in") {
    val tested = new TwoStacks(Texts)
    val panes = 1000
    (1 to panes).foreach { i =>
      tested.push(i.toLong, ".")
      tested.evictBefore(i - 49L)
    }
    assert(tested.merges <= 2 * panes)
    assert(tested.peak == 51)
  }

  test("the bytes of what is evicted are given back") {
    val tested = new TwoStacks(Texts)
    (1 to 10).foreach(i => tested.push(i.toLong, "0123"))
    assert(tested.bytes == 40 + 40) // the panes, and the state of all
    tested.evictBefore(4)
    assert(tested.bytes == (1 to 7).map(4 * _).sum)
    tested.evictBefore(11)
    assert(tested.bytes == 0)
  }
}

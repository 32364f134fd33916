package io.scalegate.stream

import org.scalatest.funsuite.AnyFunSuite

import io.scalegate.Sample
import io.scalegate.gate.Threads

final class SpscRingSuite extends AnyFunSuite {
  test("elements come out in order, and a full ring refuses until one was taken") {
    val ring = new SpscRing[Integer](3)
    assert(ring.capacity == 4 && ring.peek() == null && ring.poll() == null)
    for (round <- 0 until 5) {
      for (i <- 0 until 4) assert(ring.offer(round * 4 + i))
      assert(!ring.hasRoom(1) && !ring.offer(-1))
      assert(ring.peek() == round * 4 && ring.poll() == round * 4)
      assert(ring.hasRoom(1) && !ring.hasRoom(2))
      for (i <- 1 until 4) assert(ring.poll() == round * 4 + i)
      assert(ring.poll() == null && ring.hasRoom(4) && !ring.hasRoom(5))
    }
  }

  test("an element's number comes with it") {
    val ring = new SpscRing[String](2, true)
    for (round <- 0L until 3L) {
      assert(ring.offer("a", round) && ring.offer("b", -round) && !ring.offer("c", 7L))
      assert(ring.peek() == "a" && ring.number == round && ring.poll() == "a")
      assert(ring.peek() == "b" && ring.number == -round && ring.poll() == "b")
    }
  }

  test("a closed ring is done when the last element was taken") {
    val ring = new SpscRing[String](1)
    assert(ring.offer("last") && !ring.isDone)
    ring.close()
    assert(!ring.isDone && ring.poll() == "last" && ring.isDone)
  }

  test("a ring of no room is refused") {
    intercept[IllegalArgumentException](new SpscRing[String](0))
  }

  test("a thread's elements reach another, each once and in order") {
    for ((capacity, all) <- Seq(1 -> 20000, 8 -> 100000)) {
      val n = Sample.cases(all)
      val ring = new SpscRing[Integer](capacity)
      def produce(): Boolean = {
        val patience = new Threads.Patience
        for (i <- 0 until n) patience.until(ring.offer(i))
        ring.close()
        true
      }
      def consume(): Boolean = {
        val patience = new Threads.Patience
        var expected = 0
        while (!ring.isDone) {
          val next = ring.poll()
          if (next == null) patience.idle()
          else {
            patience.reset()
            assert(next == expected)
            expected += 1
          }
        }
        expected == n
      }
      assert(Threads.run(Seq(() => produce(), () => consume())).forall(identity))
    }
  }
}

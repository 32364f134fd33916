package io.scalegate.multiway

import java.util.ArrayDeque

import org.scalatest.funsuite.AnyFunSuite

import io.scalegate.stream.StreamTuple

final class InputQueueSuite extends AnyFunSuite {
  import AggregateCases._

  /** The consumer takes each tuple between its being put in and its being promised. */
  final private class TakenAtOnce extends InputQueue(0, 16) {
    private val queue = new ArrayDeque[StreamTuple]
    private val merge = new QueueMerge(Array(this))
    val horizons = Vector.newBuilder[Long]

    protected def put(t: StreamTuple): Unit = {
      queue.addLast(t)
      assert(merge.next() eq t)
      horizons += merge.horizon()
    }

    def peek(): StreamTuple = queue.peekFirst()
    protected def removeFirst(): StreamTuple = queue.pollFirst()
  }

  test("a tuple that is taken before it is promised does not lower the horizon") {
    val queue = new TakenAtOnce
    for (n <- 1 to 3) assert(queue.offer(tuple(10L * n, 0, n.toLong, "k")))
    assert(queue.horizons.result() == Vector(10L, 20L, 30L))
    queue.promise(35L)
    assert(queue.promised.ts == 35L)
  }
}

package io.scalegate.join.ordered

import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.{ConcurrentLinkedQueue, CountDownLatch}

import scala.jdk.CollectionConverters._

import org.scalacheck.Gen
import org.scalatest.concurrent.TimeLimitedTests
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.time.{Seconds, Span}
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import io.scalegate.BoundedWait.until
import io.scalegate.tags.Concurrency
import io.scalegate.{BoundedWait, TestThread}

@Concurrency
final class OrderedBlocksSuite
    extends AnyFunSuite
    with ScalaCheckPropertyChecks
    with TimeLimitedTests {
  override val timeLimit: Span = Span(BoundedWait.Seconds, Seconds)

  /** Each block gives as many results as `sizes` says. */
  private def blocks(sizes: IndexedSeq[Int], threads: Int): OrderedBlocks[String] =
    new OrderedBlocks(
      sizes.length,
      Vector.fill[BlockWork[String]](threads)((block: Int, give: String => Unit) =>
        for (i <- 0 until sizes(block)) give(s"$block.$i")
      )
    )

  private def all(of: OrderedBlocks[String]): Seq[String] =
    Iterator.continually(of.next(() => ())).takeWhile(_ != null).toVector

  test("every result comes once, in the order of the blocks, whatever the threads") {
    val sizes = Gen.listOf(Gen.frequency(4 -> Gen.choose(0, 3), 1 -> Gen.choose(0, 200)))
    forAll(sizes, Gen.choose(1, 5)) { (sizes, threads) =>
      val running = blocks(sizes.toVector, threads)
      try
        assert(all(running) == sizes.zipWithIndex.flatMap { case (n, block) =>
          (0 until n).map(i => s"$block.$i")
        })
      finally running.close()
    }
  }

  test("a block's results are waited for while later blocks are done") {
    val released = new CountDownLatch(1)
    val doneLater = new CountDownLatch(3)
    val first = Vector.fill[BlockWork[String]](2) { (block: Int, give: String => Unit) =>
      if (block == 0) released.await()
      give(s"$block")
      if (block > 0) doneLater.countDown()
    }
    val running = new OrderedBlocks[String](4, first)
    try {
      doneLater.await()
      released.countDown()
      assert(all(running) == Seq("0", "1", "2", "3"))
    } finally running.close()
  }

  test("threads do not run further ahead than they may") {
    val begun = new AtomicInteger
    val running = new OrderedBlocks[String](
      1000,
      Vector.fill[BlockWork[String]](2) { (block: Int, give: String => Unit) =>
        begun.incrementAndGet()
        give(s"$block")
      }
    )
    try
      for (i <- 0 until 1000) {
        assert(running.next(() => ()) == s"$i")
        assert(begun.get <= i + 8)
      }
    finally running.close()
  }

  test("a failure in a thread reaches the consumer") {
    val failing = Vector.fill[BlockWork[String]](3)((block: Int, give: String => Unit) =>
      if (block == 5) throw new IllegalStateException("block 5 fails") else give(s"$block")
    )
    val running = new OrderedBlocks[String](20, failing)
    try {
      val e = intercept[IllegalStateException](all(running))
      assert(e.getMessage == "block 5 fails")
    } finally running.close()
  }

  test("a consumer that leaves ends the threads, wherever they are") {
    val begun = new CountDownLatch(2)
    val endless = Vector.fill[BlockWork[String]](2) { (_: Int, give: String => Unit) =>
      begun.countDown()
      while (true) give("more")
    }
    val running = new OrderedBlocks[String](20, endless)
    begun.await()
    assert(running.next(() => ()) == "more")
    running.close()
    assert(!Thread.getAllStackTraces.keySet.stream.anyMatch(t =>
      t.isAlive && t.getName.startsWith("scalegate-blocks")
    ))
  }

  test("what the consumer does while it waits may end the wait") {
    val never = new CountDownLatch(1)
    val stuck = Vector.fill[BlockWork[String]](2)((_: Int, _: String => Unit) => never.await())
    val running = new OrderedBlocks[String](4, stuck)
    try
      intercept[InterruptedException](
        running.next(() => throw new InterruptedException("the task was killed"))
      )
    finally running.close()
  }

  test("closing ends a thread whose work swallows the interrupt") {
    val begun = new CountDownLatch(1)
    val released = new CountDownLatch(1)
    val deaf: BlockWork[String] = (_: Int, give: String => Unit) => {
      begun.countDown()
      try released.await()
      catch { case _: InterruptedException => () }
      for (i <- 0 until 1000) give(s"$i")
    }
    val running = new OrderedBlocks[String](8, Vector(deaf))
    begun.await()
    val closer = new TestThread(running.close())
    assert(closer.end() == null)
  }

  test("a consumer is told when another thread closes, while it waits and from then on") {
    val begun = new CountDownLatch(1)
    val never = new CountDownLatch(1)
    val running = new OrderedBlocks[String](
      1000,
      Vector.fill[BlockWork[String]](2) { (block: Int, give: String => Unit) =>
        if (block == 3) { begun.countDown(); never.await() }
        give(s"$block")
      }
    )
    val consumer = new TestThread(while (running.next(() => ()) != null) ())
    begun.await()
    running.close()
    running.close()
    assert(consumer.end().getMessage == "the join is closed")
    assert(intercept[IllegalStateException](running.next(() => ())).getMessage ==
      "the join is closed")
  }

  test("closed at any moment, it has given the first results, all of them, and says so") {
    val sizes = Gen.listOfN(30, Gen.choose(0, 12))
    forAll(sizes, Gen.choose(1, 4), Gen.choose(0, 150)) { (sizes, threads, after) =>
      val expected = for ((n, block) <- sizes.zipWithIndex; i <- 0 until n) yield s"$block.$i"
      val running = blocks(sizes.toVector, threads)
      val taken = new ConcurrentLinkedQueue[String]
      val consumer = new TestThread({
        var result = running.next(() => ())
        while (result != null) {
          taken.add(result)
          result = running.next(() => ())
        }
      })
      until("results")(taken.size >= math.min(after, expected.size))
      running.close()
      val told = consumer.end()
      assert(expected.startsWith(taken.asScala.toSeq))
      if (told == null) assert(taken.size == expected.size)
      else assert(told.getMessage == "the join is closed")
    }
  }

  test("work that was taken to its end stays ended when it is closed") {
    val running = blocks(Vector(1, 2), 2)
    assert(all(running).size == 3)
    running.close()
    assert(running.next(() => ()) == null)
  }
}

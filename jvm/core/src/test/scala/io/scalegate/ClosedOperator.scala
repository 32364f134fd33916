package io.scalegate

import java.util.SplittableRandom
import java.util.concurrent.atomic.AtomicInteger

import scala.jdk.CollectionConverters._

import org.scalatest.Assertions._

import io.scalegate.BoundedWait.until
import io.scalegate.stream.{IdleStrategy, StreamTuple, TupleSource}

/** What every running operator has, whatever its results are.
  *
  * @param tuple
  *   a source's next tuple, given the source and a number that rises
  */
final class OperatorUnderTest(
    val name: String,
    val sources: IndexedSeq[TupleSource],
    val poll: () => AnyRef,
    val frontier: () => Long,
    val isDone: () => Boolean,
    val close: () => Unit,
    val tuple: (Int, Long) => StreamTuple
)

/** What closing an operator means, of which each contract suite makes tests: it says that it was
  * closed, to whoever asks, and never that it is done.
  */
object ClosedOperator {
  // The results after which an operator is closed: many more with SCALEGATE_SOAK=n, as `make soak` sets it.
  private val moments = {
    val random = new SplittableRandom(17)
    val soak = Sample.soak
    Seq(0, 1, 20) ++ Seq.fill(10 * soak)(random.nextInt(400))
  }

  // More than the operators under test have room for.
  private val many = if (Sample.isSoak) 30 else 10

  /** Closed by another thread after some tuples, none among them, it tells its consumer and sources. */
  def checkSaysSo(open: => OperatorUnderTest): Unit =
    for (fed <- Seq(0, 1, many)) {
      val operator = open
      for (n <- 0 until fed; i <- operator.sources.indices) until("room") {
        operator.poll()
        operator.sources(i).tryAdd(operator.tuple(i, n.toLong))
      }
      assert(new TestThread(operator.close()).end() == null)
      assertNoThreads()
      for (_ <- 1 to 2) {
        assertClosed(operator)(operator.poll())
        assertClosed(operator)(operator.frontier())
        assert(!operator.isDone())
        operator.sources.indices.foreach { i =>
          assertClosed(operator)(operator.sources(i).tryAdd(operator.tuple(i, 1000L)))
          assertClosed(operator)(operator.sources(i).advance(100000L))
          operator.sources(i).close()
        }
        operator.close()
      }
    }

  /** A consumer in the middle of its work and sources that wait for room are told, and end. */
  def checkTellsThreads(open: => OperatorUnderTest): Unit =
    for (after <- moments) {
      val operator = open
      val taken = new AtomicInteger
      val feeders = operator.sources.indices.map(i =>
        new TestThread(Iterator.iterate(0L)(_ + 1).foreach { n =>
          operator.sources(i).add(operator.tuple(i, n), new IdleStrategy.Backoff())
        })
      )
      if (after == 0) until("sources that wait for room")(feeders.forall(_.isBlocked))
      val consumer = new TestThread(
        while (!operator.isDone()) if (operator.poll() != null) taken.incrementAndGet()
      )
      until("results")(taken.get >= after)
      operator.close()
      for (thread <- consumer +: feeders) assertIsClosed(operator, thread.end())
      assertNoThreads()
    }

  /** One that has come to its end has nothing to stop: it stays done. */
  def checkStaysDone(open: => OperatorUnderTest): Unit = {
    val operator = open
    for (i <- operator.sources.indices) {
      assert(operator.sources(i).tryAdd(operator.tuple(i, 1L)))
      operator.sources.drop(i + 1).foreach(_.advance(operator.tuple(i, 1L).ts))
    }
    operator.sources.foreach(_.close())
    until("end") {
      while (operator.poll() != null) ()
      operator.isDone()
    }
    operator.close()
    assert(operator.isDone() && operator.poll() == null)
    assert(operator.frontier() == Long.MaxValue)
  }

  private def assertClosed(operator: OperatorUnderTest)(body: => Any): Unit =
    assertIsClosed(operator, intercept[IllegalStateException](body))

  private def assertIsClosed(operator: OperatorUnderTest, e: Throwable): Unit = {
    assert(
      e.isInstanceOf[IllegalStateException],
      s"$e is not what a closed ${operator.name} throws"
    )
    assert(e.getMessage == s"the ${operator.name} is closed")
  }

  private def assertNoThreads(): Unit = {
    val names = Thread.getAllStackTraces.keySet.asScala.map(_.getName)
    assert(!names.exists(n => n.startsWith("scalegate-join") || n.startsWith("scalegate-aggr")))
  }
}

package io.scalegate.index

import java.util.SplittableRandom
import java.util.concurrent.atomic.{AtomicIntegerArray, AtomicLong}

import org.scalatest.funsuite.AnyFunSuite

import io.scalegate.Sample
import io.scalegate.gate.Threads
import io.scalegate.tags.Concurrency

/** What every index for many threads promises to threads that race.
  *
  * @param make
  *   an index for a window of so many tuples
  */
@Concurrency
abstract class ConcurrentIndexContract(make: Int => ConcurrentSlidingIndex) extends AnyFunSuite {
  private val Window = 2000
  private val PerThread = if (Sample.isSoak) 12000 else 4000

  /** The key of the tuple at a position: known to all, random to the index. */
  private def uniform(position: Long): Long = new SplittableRandom(position).nextInt(5000).toLong

  private def drifting(position: Long): Long = position / 20 + uniform(position) / 50

  private def found(index: SlidingIndex, lo: Long, hi: Long, first: Long): Seq[Long] = {
    val out = new PositionBuffer
    index.search(lo, hi, first, Long.MaxValue, out)
    out.sort()
    (0 until out.size).map(out(_))
  }

  for (
    (keys, key) <- Seq[(String, Long => Long)](
      "random keys" -> uniform,
      "keys that drift" -> drifting,
      "one key" -> (_ => 7L),
      "rising keys" -> (p => p)
    ); threads <- Seq(2, 4)
  )
    test(
      s"$threads threads insert, search and slide with $keys: what has returned is seen, once"
    ) {
      val index = make(Window)
      val next = new AtomicLong // the position that the next insertion takes
      val inserted = new AtomicIntegerArray(threads * PerThread) // 1 where insertion has returned
      val expiring = new AtomicLong // a bound that the window may have slid to
      val expired = new AtomicLong // a bound that it has slid to

      /** Inserts and, every so often, searches a range and checks what it finds. */
      def work(thread: Int): Unit = {
        val random = new SplittableRandom(thread.toLong)
        for (i <- 1 to PerThread) {
          val position = next.getAndIncrement()
          index.insert(key(position), position)
          inserted.set(position.toInt, 1)
          if (i % 25 == 0) check(random, key(math.max(0L, position - random.nextInt(25))))
          if (thread == 0 && i % 100 == 0) slide()
        }
      }

      /** The latest insertions are the ones that a merge moves. */
      def check(random: SplittableRandom, center: Long): Unit = {
        val width = if (random.nextInt(20) == 0) 100000L else random.nextInt(60).toLong
        def matches(p: Long) = math.abs(key(p) - center) <= width
        val latest = next.get
        val certain = (math.max(0L, latest - 1500) until latest)
          .filter(p => inserted.get(p.toInt) == 1 && matches(p))
        val earliest = expired.get
        val seen = found(index, center - width, center + width, Long.MinValue)
        val mayBeGone = expiring.get
        assert(seen.distinct == seen, "a tuple was seen twice")
        assert(seen.forall(p => p >= earliest && p < next.get && matches(p)))
        assert(certain.filter(_ >= mayBeGone).diff(seen).isEmpty, "an insertion was not seen")
      }

      def slide(): Unit = {
        val bound = next.get - Window
        if (bound > 0) {
          expiring.set(bound)
          index.expireBefore(bound)
          expired.set(bound)
        }
      }

      Threads.run((0 until threads).map(t => () => work(t)))
      val all = threads.toLong * PerThread
      val bound = all - Window
      index.expireBefore(bound)
      assert(found(index, Long.MinValue, Long.MaxValue, Long.MinValue) == (bound until all))
      for (center <- Seq(0L, 7L, 500L, key(all - 1), 4999L)) {
        val expected = (bound until all).filter(p => math.abs(key(p) - center) <= 40)
        assert(found(index, center - 40, center + 40, Long.MinValue) == expected)
      }
    }
}

class SkipListIndexConcurrencySuite extends ConcurrentIndexContract(_ => new SkipListIndex)

class ConcurrentPimTreeConcurrencySuite
    extends ConcurrentIndexContract(w => new ConcurrentPimTree(MergePolicy(w, 0.25)))

class ConcurrentPimTreeFrequentMergeSuite
    extends ConcurrentIndexContract(_ => new ConcurrentPimTree(MergePolicy(1, 0.02), 3))

class ConcurrentPimTreeOneSubindexSuite
    extends ConcurrentIndexContract(w => new ConcurrentPimTree(MergePolicy(w, 1), 0))

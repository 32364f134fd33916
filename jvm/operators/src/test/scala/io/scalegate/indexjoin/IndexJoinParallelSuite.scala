package io.scalegate.indexjoin

import java.util.SplittableRandom
import java.util.concurrent.{ConcurrentLinkedQueue, CountDownLatch}

import scala.jdk.CollectionConverters._

import org.scalatest.funsuite.AnyFunSuite

import io.scalegate.BoundedWait.until
import io.scalegate.Sample
import io.scalegate.band.{AttributeType, IntegralBand}
import io.scalegate.index.{
  ConcurrentPimTree,
  ConcurrentSlidingIndex,
  MergePolicy,
  PositionBuffer,
  RangeQuery,
  SkipListIndex
}
import io.scalegate.join.ordered.NestedLoopJoin
import io.scalegate.join.{
  Definition,
  ElasticJoin,
  JoinCase,
  JoinOptions,
  JoinRuns,
  JoinSpec,
  JoinStrategyContract
}
import io.scalegate.stream.{CountWindow, Side, TimeWindow}

/** A small window is expected, so that merges race with searches within the contract's inputs. */
abstract class ParallelIndexJoinContract(
    threads: Int,
    taskSize: Int,
    newIndex: Int => ConcurrentSlidingIndex = w => new ConcurrentPimTree(MergePolicy(w, 0.5), 1),
    dimensions: Int = 1
) extends JoinStrategyContract(
      new ParallelIndexJoin(
        threads,
        newIndex,
        taskSize,
        timeWindowRows = 8,
        dimensions = dimensions
      ),
      comparesAll = false
    )

class ParallelIndexJoin1Suite extends ParallelIndexJoinContract(1, taskSize = 8)
class ParallelIndexJoin2Suite extends ParallelIndexJoinContract(2, taskSize = 1)
class ParallelIndexJoin3Suite extends ParallelIndexJoinContract(3, taskSize = 8)
class ParallelIndexJoin8Suite extends ParallelIndexJoinContract(8, taskSize = 3)
class ParallelIndexJoinOfTwoBandsSuite
    extends ParallelIndexJoinContract(2, taskSize = 4, dimensions = 2)
class ParallelIndexJoinSkipListSuite
    extends ParallelIndexJoinContract(2, taskSize = 4, _ => new SkipListIndex)

/** Threads that join and leave, and what they are given. */
final class ParallelIndexJoinSuite extends AnyFunSuite {
  import JoinRuns._

  private val Rows = if (Sample.isSoak) 8000 else 4000
  private val bands = Vector(
    IntegralBand(AttributeType.Int32, -3, 3),
    IntegralBand(AttributeType.Int64, -300, 300)
  )

  private def pim(threads: Int) = new ParallelIndexJoin(
    threads,
    w => new ConcurrentPimTree(MergePolicy(w, 0.25)),
    taskSize = 4,
    timeWindowRows = 64
  )

  /** Attributes in `[0, 1000)`, alternating streams. */
  private def input(spec: JoinSpec): JoinCase = {
    val random = new SplittableRandom(12)
    val feeds =
      for ((side, source) <- Vector(Side.R, Side.S).zipWithIndex)
        yield side -> Vector.tabulate(Rows)(i =>
          tuple(
            2L * i + source,
            source,
            i.toLong,
            side,
            random.nextLong(1000),
            random.nextLong(1000)
          )
        )
    JoinCase(spec, feeds)
  }

  for (window <- Seq(TimeWindow(-1500, 700), CountWindow(500)))
    test(s"threads join and leave while it runs, results unchanged: $window") {
      val all = input(JoinSpec(window, bands))
      val expected = opened(NestedLoopJoin, all)(interleaved(_, all.feeds.map(_._2), 4))
      assert(expected.size > 10000)
      val join = pim(1).open(all.spec, all.sides, JoinOptions(inputCapacity = 64))
      try {
        val results = Vector.newBuilder[Definition.Pair]
        def take(): Unit = Option(join.poll()).foreach(results += Definition.pair(_))
        for (i <- 0 until Rows) {
          for (source <- 0 to 1) until("room") {
            take()
            join.sources(source).tryAdd(all.feeds(source)._2(i))
          }
          if (i % 100 == 0) resize(join, 1 + i / 100 % 4)
        }
        join.sources.foreach(_.close())
        results ++= drain(join)
        assert(results.result() == expected)
        assert(join.metrics.stored == 2 * Rows && join.metrics.matches == expected.size)
      } finally join.close()
      assert(workersAlive.isEmpty)
    }

  test("while one thread merges the others go on, though the other index is due as well") {
    val all = input(JoinSpec(CountWindow(500), bands))
    val feeds = all.feeds.map(_._2.take(1000))
    val expected = opened(NestedLoopJoin, all)(interleaved(_, feeds, 4))
    val isOver = new CountDownLatch(1)
    val indexes = new ConcurrentLinkedQueue[HeldMerge]
    val strategy = new ParallelIndexJoin(
      2,
      { w =>
        indexes.add(new HeldMerge(new ConcurrentPimTree(MergePolicy(w, 0.1)), isOver))
        indexes.asScala.last
      }
    )
    val join = strategy.open(all.spec, all.sides, JoinOptions())
    try {
      val results = interleaved(join, feeds, 4)
      assert(results == expected)
      assert(indexes.asScala.count(_.isHeld) == 1 && indexes.asScala.forall(_.isMergeDue))
    } finally {
      isOver.countDown()
      join.close()
    }
  }

  /** An index whose merges take until the test lets go of them. */
  final private class HeldMerge(index: ConcurrentPimTree, isOver: CountDownLatch)
      extends ConcurrentSlidingIndex {
    @volatile var isHeld = false

    def tryMerge(): Boolean = {
      isHeld = true
      isOver.await()
      index.tryMerge()
    }

    def name: String = index.name
    def isMergeDue: Boolean = index.isMergeDue
    def insert(key: Long, value: Int, position: Long): Unit = index.insert(key, value, position)
    def add(key: Long, value: Int, position: Long): Unit = index.add(key, value, position)
    def expireBefore(earliest: Long): Unit = index.expireBefore(earliest)
    def size: Int = index.size
    def memoryBytes: Long = index.memoryBytes
    def clear(): Unit = index.clear()

    def search(query: RangeQuery, out: PositionBuffer): Unit = index.search(query, out)
  }

  private def resize(join: ElasticJoin, threads: Int): Unit = {
    join.resize(threads)
    assert(join.threads == threads)
    until("end of the threads that left")(workersAlive.size <= threads)
  }

  test("threads that have left are forgotten, and what they did is not") {
    val all = input(JoinSpec(CountWindow(100), bands))
    val join = pim(1).open(all.spec, all.sides, JoinOptions())
    try {
      val n = if (Sample.isSoak) 200 else 60
      for (i <- 0 until n) {
        for (source <- 0 to 1) until("room") {
          join.poll()
          join.sources(source).tryAdd(all.feeds(source)._2(i))
        }
        resize(join, 3)
        resize(join, 1)
      }
      join.resize(1)
      assert(join.metrics.workers.size <= 2, "one that works, and those that left as one")
      join.sources.foreach(_.close())
      drain(join)
      assert(join.metrics.stored == 2 * n)
    } finally join.close()
  }

  test("a join of no threads, a task of no tuples and a band that is not there are refused") {
    val spec = input(JoinSpec(CountWindow(1), bands)).spec
    intercept[IllegalArgumentException](pim(0))
    intercept[IllegalArgumentException](new ParallelIndexJoin(1, _ => new SkipListIndex, 0))
    val unknown = new ParallelIndexJoin(1, _ => new SkipListIndex, band = 2)
    intercept[IllegalArgumentException](unknown.open(spec, Vector(Side.R), JoinOptions()))
    val join = pim(1).open(spec, Vector(Side.R), JoinOptions())
    try intercept[IllegalArgumentException](join.resize(0))
    finally join.close()
    intercept[IllegalStateException](join.resize(2))
  }
}

package io.scalegate.indexjoin

import org.scalacheck.Gen
import org.scalactic.anyvals.PosInt
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import io.scalegate.Sample
import io.scalegate.band.{AttributeType, IntegralBand}
import io.scalegate.index.{ChainedIndex, ConcurrentPimTree, MergePolicy, PimTree, SkipListIndex}
import io.scalegate.join.ordered.NestedLoopJoin
import io.scalegate.join.{Definition, JoinCase, JoinCases, JoinOptions, JoinRuns, JoinSpec}
import io.scalegate.stream.{CountWindow, Side, TimeWindow, Window}

/** A stream joined with itself over one window: the definition's pairs, in order. A small window is
  * expected, so that merges happen within the inputs.
  */
abstract class SelfJoinContract(strategy: SelfJoinStrategy)
    extends AnyFunSuite
    with ScalaCheckPropertyChecks {
  import JoinRuns._

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful =
      PosInt.ensuringValid(if (Sample.isSoak) 100 else 10)
    )

  private val small = JoinOptions(inputCapacity = 3, outputCapacity = 2)

  private def feeds(input: JoinCase) = input.feeds.map(_._2)

  private def opened[A](input: JoinCase, options: JoinOptions = JoinOptions())(
      body: io.scalegate.join.RunningJoin => A
  ): A = {
    val join = strategy.openSelf(input.spec, input.feeds.size, options)
    try body(join)
    finally join.close()
  }

  test("each tuple meets those before it, one thread feeding in any interleaving") {
    forAll(JoinCases.cases, Gen.long) { (drawn, seed) =>
      val input = drawn.ofOneStream
      val results = opened(input, small)(interleaved(_, feeds(input), seed))
      assert(results == Definition.results(input, isSelf = true))
    }
  }

  test("each tuple meets those before it, a thread for each source") {
    forAll(JoinCases.cases) { drawn =>
      val input = drawn.ofOneStream
      val results = opened(input, small)(threaded(_, feeds(input)))
      assert(results == Definition.results(input, isSelf = true))
    }
  }

  private def long(window: Window): JoinCase = {
    val random = new java.util.SplittableRandom(7)
    val stream = Vector.tabulate(6000)(i =>
      tuple(i.toLong, 0, i.toLong, Side.S, random.nextLong(1000), random.nextLong(1000))
    )
    val bands = Vector(
      IntegralBand(AttributeType.Int64, -20, 20),
      IntegralBand(AttributeType.Int32, -300, 300)
    )
    JoinCase(JoinSpec(window, bands), Vector(Side.S -> stream))
  }

  test("in symmetric windows and bands it is half of the join of the stream with its copy") {
    val input = long(TimeWindow(-300, 300))
    val copy = feeds(input).head.map(t => tuple(t.ts, 1, t.seq, Side.R, t.attrs.toSeq: _*))
    val both = input.copy(feeds = input.feeds :+ (Side.R -> copy))
    val pairs = JoinRuns.opened(NestedLoopJoin, both)(interleaved(_, feeds(both), 1))
    val results = opened(input)(interleaved(_, feeds(input), 1))
    val once = for ((_, later, _, earlier) <- pairs if later > earlier) yield (later, earlier)
    assert(results.size > 20000 && pairs.size == 2 * results.size + 6000)
    assert(results.map(pair => (pair._2, pair._4)) == once.distinct)
  }

  test("a tuple is stored, indexed and counted once") {
    for (window <- Seq[Window](TimeWindow(-300, 300), CountWindow(300))) {
      val input = long(window)
      opened(input) { join =>
        val results = interleaved(join, feeds(input), 1)
        val (metrics, merges) = (join.metrics, join.details.toMap.getOrElse("merges", 0.0))
        assert(metrics.stored == 6000 && metrics.matches == results.size)
        assert(metrics.peakWindowRows <= 302)
        assert(merges <= 6000 / 8)
      }
    }
  }

  test("a stream without sources, and tuples of the other side, are refused") {
    val spec = JoinSpec(CountWindow(1))
    intercept[IllegalArgumentException](strategy.openSelf(spec, 0))
    val join = strategy.openSelf(spec, 1)
    try
      intercept[IllegalArgumentException](join.sources.head.tryAdd(tuple(1, 0, 0, Side.R)))
    finally join.close()
  }
}

class SelfJoinPimTreeSuite
    extends SelfJoinContract(
      new IndexJoin(w => new PimTree(MergePolicy(w, 0.5)), timeWindowRows = 8)
    )

class SelfJoinChainedSuite
    extends SelfJoinContract(
      new IndexJoin(new ChainedIndex(_, length = 3, archiveImmutable = true), timeWindowRows = 8)
    )

class ParallelSelfJoin1Suite
    extends SelfJoinContract(
      new ParallelIndexJoin(
        1,
        w => new ConcurrentPimTree(MergePolicy(w, 0.5), 1),
        timeWindowRows = 8
      )
    )

class ParallelSelfJoin3Suite
    extends SelfJoinContract(
      new ParallelIndexJoin(
        3,
        w => new ConcurrentPimTree(MergePolicy(w, 0.5), 1),
        taskSize = 3,
        timeWindowRows = 8
      )
    )

class ParallelSelfJoinOfTwoBandsSuite
    extends SelfJoinContract(
      new ParallelIndexJoin(
        2,
        w => new ConcurrentPimTree(MergePolicy(w, 0.5), 1),
        taskSize = 2,
        timeWindowRows = 8,
        dimensions = 2
      )
    )

class ParallelSelfJoinSkipListSuite
    extends SelfJoinContract(
      new ParallelIndexJoin(2, _ => new SkipListIndex, taskSize = 1, timeWindowRows = 8)
    )

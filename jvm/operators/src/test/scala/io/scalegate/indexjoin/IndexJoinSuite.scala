package io.scalegate.indexjoin

import java.util.SplittableRandom

import org.scalatest.funsuite.AnyFunSuite

import io.scalegate.band.{AttributeType, Band, FloatingBand, IntegralBand}
import io.scalegate.index.{
  BPlusTreeIndex,
  ChainedIndex,
  ConcurrentPimTree,
  ImTree,
  MergePolicy,
  PimTree,
  SkipListIndex,
  SlidingIndex
}
import io.scalegate.join.ordered.NestedLoopJoin
import io.scalegate.join.{JoinCase, JoinRuns, JoinSpec, JoinStrategy, JoinStrategyContract}
import io.scalegate.stream.{CountWindow, Side, SortableKey, StreamTuple, TimeWindow, Window}

/** A small window is expected, so that merges and archives happen within the contract's inputs.
  */
abstract class IndexJoinContract(newIndex: Int => SlidingIndex, dimensions: Int = 1)
    extends JoinStrategyContract(
      new IndexJoin(newIndex, timeWindowRows = 8, dimensions = dimensions),
      comparesAll = false,
      cases = 50
    )

class IndexJoinBPlusTreeSuite extends IndexJoinContract(_ => new BPlusTreeIndex)
class IndexJoinBChainSuite
    extends IndexJoinContract(new ChainedIndex(_, length = 3, archiveImmutable = false))
class IndexJoinIBChainSuite
    extends IndexJoinContract(new ChainedIndex(_, length = 3, archiveImmutable = true))
class IndexJoinImTreeSuite extends IndexJoinContract(w => new ImTree(MergePolicy(w, 0.5)))
class IndexJoinPimTreeSuite extends IndexJoinContract(w => new PimTree(MergePolicy(w, 0.5)))
class IndexJoinConcurrentPimTreeSuite
    extends IndexJoinContract(w => new ConcurrentPimTree(MergePolicy(w, 0.5)))
class IndexJoinSkipListSuite extends IndexJoinContract(_ => new SkipListIndex)
class IndexJoinOfTwoBandsPimTreeSuite
    extends IndexJoinContract(w => new PimTree(MergePolicy(w, 0.5)), dimensions = 2)
class IndexJoinOfTwoBandsBPlusTreeSuite
    extends IndexJoinContract(_ => new BPlusTreeIndex, dimensions = 2)

/** Which band the index lies on. */
final class IndexJoinBandSuite extends AnyFunSuite {
  import JoinRuns._

  private val wide = IntegralBand(AttributeType.Int64, -500, 500)
  private val narrow = IntegralBand(AttributeType.Int32, -2, 2)

  private def pim(band: Option[Int]) =
    new IndexJoin(w => new PimTree(MergePolicy(w, 0.25)), band, timeWindowRows = 64)

  /** Attributes in `[0, 1000)`, alternating streams. */
  private def input(window: Window, bands: Band*): JoinCase = {
    val random = new SplittableRandom(11)
    val feeds =
      for ((side, source) <- Vector(Side.R, Side.S).zipWithIndex)
        yield side -> Vector.tabulate(4000)(i =>
          tuple(
            2L * i + source,
            source,
            i.toLong,
            side,
            bands.map(_ => random.nextLong(1000)): _*
          )
        )
    JoinCase(JoinSpec(window, bands.toVector), feeds)
  }

  private def run(strategy: JoinStrategy, input: JoinCase) = opened(strategy, input) { join =>
    val results = interleaved(join, input.feeds.map(_._2), 4)
    (results, join.metrics)
  }

  for (window <- Seq(TimeWindow(-800, 800), CountWindow(400)))
    test(s"the index moves to the band that lets the least through, results unchanged: $window") {
      val bands = Seq(wide, narrow, wide)
      val all = input(window, bands: _*)
      val expected = run(NestedLoopJoin, all)
      val chosen = run(pim(None), all)
      val best = run(pim(Some(1)), all)
      val worst = run(pim(Some(0)), all)
      assert(expected._1.size > 1000)
      for (results <- Seq(chosen, best, worst)) assert(results._1 == expected._1)
      // a probe reaches 400 rows: three quarters of them in the wide band, two in the narrow
      assert(worst._2.comparisons > 200 * 7000)
      assert(best._2.comparisons < 3 * 8000)
      assert(chosen._2.comparisons < worst._2.comparisons / 4)
    }

  private val floating = FloatingBand(AttributeType.Float64, -500, 500)
  private val small = FloatingBand(AttributeType.Float32, -5, 5)

  /** Whole numbers as their sortable integers. */
  private def sortable(band: Band, value: Long): Long = band.attribute match {
    case AttributeType.Float32 => SortableKey.ofFloat(value.toFloat).toLong
    case AttributeType.Float64 => SortableKey.ofDouble(value.toDouble)
    case _ => value
  }

  for (
    (name, bands) <- Seq(
      "integers" -> Seq(wide, wide),
      "numbers of two kinds" -> Seq(floating, wide),
      "a narrow and a wide one" -> Seq(small, floating)
    )
  )
    test(s"an index of two bands tests about as many rows as both let through: $name") {
      val few = bands.map {
        case IntegralBand(attribute, _, _) => IntegralBand(attribute, -50, 50)
        case FloatingBand(attribute, lower, upper, _) =>
          FloatingBand(attribute, lower / 10, upper / 10)
      }
      val drawn = input(CountWindow(2000), few: _*)
      val all = drawn.copy(feeds = drawn.feeds.map { case (side, feed) =>
        side -> feed.map(t =>
          new StreamTuple(
            t.ts,
            t.source,
            t.seq,
            t.side,
            few.indices.map(i => sortable(few(i), t.attrs(i) - 500)).toArray,
            t.row
          )
        )
      })
      val plane = new IndexJoin(
        w => new PimTree(MergePolicy(w, 0.25)),
        timeWindowRows = 64,
        dimensions = 2
      )
      val (expected, oneBand) = (run(NestedLoopJoin, all), run(pim(Some(0)), all))
      val twoBands = run(plane, all)
      assert(expected._1.nonEmpty && twoBands._1 == expected._1)
      assert(twoBands._2.comparisons < 3.5 * expected._1.size + 8000)
      assert(twoBands._2.comparisons < oneBand._2.comparisons)
    }

  test("an index of no dimension, or of three, is refused") {
    for (dimensions <- Seq(0, 3)) {
      val e = intercept[IllegalArgumentException](
        new IndexJoin(_ => new BPlusTreeIndex, dimensions = dimensions)
      )
      assert(e.getMessage.contains(s"of $dimensions dimensions"))
    }
  }

  test("bands of one selectivity do not take turns: the first is kept") {
    val all = input(CountWindow(400), narrow, narrow)
    assert(run(pim(None), all)._2.comparisons == run(pim(Some(0)), all)._2.comparisons)
  }

  test("a band that the join does not have is refused by number") {
    for (band <- Seq(-1, 2)) {
      val e = intercept[IllegalArgumentException](
        run(pim(Some(band)), input(CountWindow(1), narrow, narrow))
      )
      assert(e.getMessage.contains(s"no band $band"))
    }
  }
}

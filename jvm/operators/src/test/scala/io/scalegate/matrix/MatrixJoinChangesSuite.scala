package io.scalegate.matrix

import java.util.SplittableRandom

import org.scalatest.funsuite.AnyFunSuite

import io.scalegate.BoundedWait.until
import io.scalegate.band.{AttributeType, IntegralBand}
import io.scalegate.column.ColumnarWindow
import io.scalegate.join.ordered.NestedLoopJoin
import io.scalegate.join.{
  Definition,
  JoinCase,
  JoinOptions,
  JoinRuns,
  JoinSpec,
  JoinStrategyContract
}
import io.scalegate.partition.MatrixLayout
import io.scalegate.stream.{CountWindow, Side, StreamTuple, TimeWindow, Window}

/** In another layout after every few tuples. */
private object Restless {
  def layouts(workers: Int): Vector[MatrixLayout] =
    (1 to workers).filter(workers % _ == 0).map(m => MatrixLayout(m, workers / m)).toVector

  def join(workers: Int, chance: Int): MatrixJoin = new MatrixJoin(
    s"$workers restless workers",
    _ => layouts(workers).head,
    _ => {
      val random = new SplittableRandom(workers.toLong)
      (_, _, _) =>
        Option.when(random.nextInt(chance) == 0) {
          val all = layouts(workers)
          AdaptiveLayout.topology(all(random.nextInt(all.size)))
        }
    }
  )
}

class RestlessMatrixJoin1Suite
    extends JoinStrategyContract(Restless.join(1, 2), cases = 30, evenly = false)
class RestlessMatrixJoin4Suite
    extends JoinStrategyContract(Restless.join(4, 2), cases = 60, evenly = false)
class RestlessMatrixJoin6Suite
    extends JoinStrategyContract(Restless.join(6, 1), cases = 60, evenly = false)
class AdaptiveMatrixJoinSuite
    extends JoinStrategyContract(MatrixJoin.adaptive(4), cases = 15)

/** Layouts that change while the join runs: when, to what, and that nothing is lost, moved in vain or kept. */
final class MatrixJoinChangesSuite extends AnyFunSuite {
  import JoinRuns._
  import Side.{R, S}

  private val near = IntegralBand(AttributeType.Int32, 0, 2)

  /** As many tuples of each stream for a tuple of the other as a part says, one part after the other. */
  private def input(window: Window, parts: (Int, Int, Int)*): JoinCase = {
    val feeds = Array.fill(2)(Vector.newBuilder[StreamTuple])
    val counts = new Array[Long](2)
    var ts = 0L
    for (
      (rounds, ofR, ofS) <- parts; _ <- 1 to rounds; (side, n) <- Seq(0 -> ofR, 1 -> ofS);
      _ <- 1 to n
    ) {
      ts += 1
      feeds(side) += tuple(ts, side, counts(side), if (side == 0) R else S, ts * 31 % 997)
      counts(side) += 1
    }
    JoinCase(JoinSpec(window, Vector(near)), Vector(R, S).zip(feeds.map(_.result())))
  }

  private def feeds(input: JoinCase) = input.feeds.map(_._2)

  private def expected(input: JoinCase) =
    opened(NestedLoopJoin, input)(interleaved(_, feeds(input), 1))

  for (window <- Seq(TimeWindow(-600, 600), CountWindow(500, 500)))
    test(s"the layout follows the streams, and the results stay those of one layout: $window") {
      val all = input(window, (1500, 1, 1), (400, 30, 1), (400, 1, 30))
      val layouts = Vector.newBuilder[MatrixLayout]
      // Few tuples wait, so that those that come are not far ahead of what the join has taken, whose layout is asked for.
      val join = MatrixJoin.adaptive(4).open(all.spec, all.sides, JoinOptions(inputCapacity = 64))
      try {
        val results = Vector.newBuilder[Definition.Pair]
        for (t <- all.tuples.sortBy(_.ts)) {
          until("room") {
            Option(join.poll()).foreach(results += Definition.pair(_))
            join.sources(t.source).tryAdd(t)
          }
          layouts += join.layout
        }
        join.sources.foreach(_.close())
        assert(results.result() ++ drain(join) == expected(all))
        layouts += join.layout
        val distinct = layouts.result().foldLeft(Vector.empty[MatrixLayout])((seen, next) =>
          if (seen.lastOption.contains(next)) seen else seen :+ next
        )
        info(s"${join.layoutChanges} changes: ${distinct.mkString(", ")}")
        val first = MatrixLayout.choose(4, 1, 1, window)
        assert(distinct.head == first && distinct.tail.contains(MatrixLayout(4, 1)))
        assert(distinct.contains(MatrixLayout(1, 4)) && join.layoutChanges < 10)
        assert(join.metrics.stored == all.tuples.size)
      } finally join.close()
      assert(workersAlive.isEmpty)
    }

  private val one = 1000L

  /** What four workers in this layout are told of tuples since the last look and rows in the windows. */
  private def asked(
      now: MatrixLayout,
      news: (Long, Long),
      held: (Long, Long),
      most: Int = ColumnarWindow.MostRows
  ): Option[MatrixLayout] = {
    def of(pair: (Long, Long))(stream: Int) = if (stream == 0) pair._1 else pair._2
    new AdaptiveLayout(most).next(AdaptiveLayout.topology(now), of(news), of(held))
      .map(AdaptiveLayout.layout)
  }

  test("the larger window is cut into more segments") {
    val square = MatrixLayout(2, 2)
    assert(asked(square, (16 * one, one), (16 * one, one)).contains(MatrixLayout(4, 1)))
    assert(asked(square, (one, 16 * one), (one, 16 * one)).contains(MatrixLayout(1, 4)))
    assert(asked(MatrixLayout(4, 1), (one, one), (one, one)).contains(square))
    assert(asked(square, (one, one), (one, one)).isEmpty, "it is that one")
  }

  test("nothing changes for a small gain, or before as many tuples have come as are held") {
    val square = MatrixLayout(2, 2)
    // Where a window is twice as large as the other the two layouts are alike.
    assert(asked(square, (21 * one, 10 * one), (21 * one, 10 * one)).isEmpty)
    assert(asked(square, (16 * one, one), (17 * one, one)).isEmpty)
    assert(asked(square, (16L, 1L), (16L, 1L)).isEmpty, "too few to tell")
    assert(asked(square, (0L, 0L), (0L, 0L)).isEmpty)
  }

  test("tuples are counted from the last look, whatever came before") {
    val policy = new AdaptiveLayout(ColumnarWindow.MostRows)
    val square = AdaptiveLayout.topology(MatrixLayout(2, 2))
    def next(r: Long, s: Long, heldR: Long, heldS: Long) =
      policy.next(square, Seq(r, s)(_), Seq(heldR, heldS)(_)).map(AdaptiveLayout.layout)
    assert(next(8 * one, 8 * one, 10 * one, 10 * one).isEmpty, "too early")
    assert(next(10 * one, 10 * one, 10 * one, 10 * one).isEmpty, "streams alike")
    assert(next(25 * one, 11 * one, 16 * one, one).isEmpty, "too early again")
    assert(next(26 * one, 11 * one, 16 * one, one).contains(MatrixLayout(4, 1)))
  }

  test("no layout is taken under which a segment might be too large") {
    val held = (16 * one, one)
    for ((most, takes) <- Seq(1999 -> false, 2001 -> true))
      assert(asked(MatrixLayout(2, 2), held, (4 * one, 1L), most).isDefined == takes)
  }
}

package io.scalegate.matrix

import java.lang.ref.WeakReference

import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.prop.TableDrivenPropertyChecks

import io.scalegate.BoundedWait.until
import io.scalegate.join.{
  Definition,
  JoinCase,
  JoinMetrics,
  JoinOptions,
  JoinRuns,
  JoinSpec,
  JoinStrategy,
  PairPredicate
}
import io.scalegate.partition.{MatrixLayout, StreamLoad}
import io.scalegate.stream.{CountWindow, Side, StreamTuple, TimeWindow, Window}

/** What the workers of a layout do, keep and promise, beyond the contract of all strategies. */
final class MatrixJoinWorkSuite extends AnyFunSuite with TableDrivenPropertyChecks {
  import JoinRuns._
  import Side.{R, S}

  private val layouts = Table(
    "layout",
    MatrixLayout(1, 1),
    MatrixLayout(1, 4),
    MatrixLayout(4, 1),
    MatrixLayout(2, 2),
    MatrixLayout(3, 2)
  )

  /** Strictly alternating streams, whose i-th tuples are at the time i. */
  private def input(n: Int, spec: JoinSpec): JoinCase =
    JoinCase(
      spec,
      Vector(R, S).zipWithIndex.map { case (side, source) =>
        side -> Vector.tabulate(n)(i => tuple(i.toLong, source, i.toLong, side))
      }
    )

  private def metrics(layout: MatrixLayout, input: JoinCase): JoinMetrics =
    opened(new MatrixJoin(layout), input) { join =>
      interleaved(join, input.feeds.map(_._2), 1)
      join.metrics
    }

  test("every tuple is compared with W/n or W/m rows in each worker of its row or column") {
    val rows = 12 // of either window
    val more = 120 // tuples of either stream, once the windows are full
    val spec = JoinSpec(CountWindow(rows.toLong))
    forAll(layouts) { layout =>
      val m = layout.rows
      val n = layout.columns
      val before = metrics(layout, input(60, spec)).workers
      val after = metrics(layout, input(60 + more, spec)).workers
      val expected = more / m * (rows / n) + more / n * (rows / m)
      for ((b, a) <- before.zip(after)) assert(a.comparisons - b.comparisons == expected)
      // Expr. 5: on the average a result is found after half of them; Expr. 6 with p = 1/2
      val half = (rows / n + rows / m) / 2.0 / 2
      assert(layout.expectedLatency(StreamLoad(1, 1, rows.toDouble, rows.toDouble)) == half)
    }
  }

  test("each tuple is stored once: by the first worker of its row or column") {
    forAll(layouts) { layout =>
      val workers = metrics(layout, input(120, JoinSpec(TimeWindow(-10, 10)))).workers
      for (row <- 0 until layout.rows; column <- 0 until layout.columns) {
        val stored = (if (column == 0) 120 / layout.rows else 0) +
          (if (row == 0) 120 / layout.columns else 0)
        assert(workers(row * layout.columns + column).stored == stored)
      }
    }
  }

  test("a join of so many workers takes the layout that is best for its window") {
    def stored(strategy: JoinStrategy, window: Window) = {
      val all = input(160, JoinSpec(window))
      opened(strategy, all) { join =>
        interleaved(join, all.feeds.map(_._2), 1)
        join.metrics.workers.map(_.stored)
      }
    }
    for (
      (window, layout) <- Seq(
        TimeWindow(-30, 30) -> MatrixLayout(2, 4),
        TimeWindow(-100, 10) -> MatrixLayout(1, 8),
        CountWindow(7) -> MatrixLayout(2, 4)
      )
    ) {
      val chosen = stored(MatrixJoin.ofWorkers(8, rateR = 1, rateS = 1), window)
      assert(chosen == stored(new MatrixJoin(layout), window))
    }
    val e = intercept[IllegalArgumentException](MatrixJoin.ofWorkers(0, 1, 1))
    assert(e.getMessage.contains("not 0"))
  }

  test("the frontier never passes a result that is to come, and reaches the end") {
    val all = input(300, JoinSpec(TimeWindow(-3, 3)))
    val feeds = all.feeds.map(_._2)
    forAll(layouts) { layout =>
      val join =
        new RunningMatrixJoin(
          all.spec,
          all.sides,
          JoinOptions(inputCapacity = 8),
          layout,
          Rearrangement.Never
        )
      try {
        join.start()
        assert(join.frontier == Long.MinValue)
        var frontier = Long.MinValue
        var taken = 0
        def look(): Unit = {
          val now = join.frontier
          assert(now >= frontier)
          frontier = now
          val result = join.poll()
          if (result != null) {
            assert(result.ts >= frontier)
            taken += 1
          }
        }
        for (i <- 0 until 300; source <- 0 to 1) until("room") {
          look()
          join.sources(source).tryAdd(feeds(source)(i))
        }
        until("promise for the last tuple that is ready") {
          look()
          frontier == 299
        }
        join.sources.foreach(_.close())
        until("end") {
          look()
          join.isDone
        }
        assert(join.frontier == Long.MaxValue)
        assert(taken == Definition.results(all).size)
      } finally join.close()
    }
  }

  test("a join that failed has no frontier: asked for it, it throws its failure") {
    val broken = new IllegalStateException("the predicate is broken")
    val predicate: PairPredicate = (_, _) => throw broken
    val all = input(5, JoinSpec(TimeWindow(-9, 9), residual = Some(() => predicate)))
    forAll(layouts) { layout =>
      val join =
        new RunningMatrixJoin(all.spec, all.sides, JoinOptions(), layout, Rearrangement.Never)
      try {
        join.start()
        for (source <- 0 to 1; t <- all.feeds(source)._2)
          try join.sources(source).tryAdd(t)
          catch { case e: IllegalStateException => assert(e eq broken) }
        join.sources.foreach(_.close())
        assert(intercept[IllegalStateException](drain(join)) eq broken)
        assert(intercept[IllegalStateException](join.frontier) eq broken)
      } finally join.close()
    }
  }

  test("a payload is dropped once every worker of its row has passed it") {
    val options = JoinOptions(inputCapacity = 4)
    forAll(layouts) { layout =>
      val join = new MatrixJoin(layout).open(JoinSpec(TimeWindow(-5, 5)), Vector(R, S), options)
      try {
        def add(t: StreamTuple): Unit = until("room") {
          join.poll()
          join.sources(t.source).tryAdd(t)
        }
        def held(): WeakReference[AnyRef] = {
          val row = new Object
          add(new StreamTuple(0, 0, 0, R, Array.emptyLongArray, row))
          new WeakReference(row)
        }
        val payload = held()
        def isHeld: Boolean = payload.get != null
        for (i <- 1L to 4L) add(tuple(i, 1, i, S)) // one for each column
        join.sources(0).advance(5)
        for (i <- 1L to 4L) assert(await(join).later.seq == i)
        System.gc()
        assert(isHeld, "a tuple in its window was dropped")
        for (i <- 10L to 13L) add(tuple(i, 1, i, S))
        join.sources(0).advance(14)
        until("collection") {
          join.poll()
          System.gc()
          !isHeld
        }
      } finally join.close()
    }
  }
}

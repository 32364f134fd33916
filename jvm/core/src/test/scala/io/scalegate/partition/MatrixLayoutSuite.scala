package io.scalegate.partition

import org.scalatest.funsuite.AnyFunSuite

import io.scalegate.stream.{CountWindow, TimeWindow}

/** The choice of a layout, on the paper's own experiments. */
final class MatrixLayoutSuite extends AnyFunSuite {
  import MatrixLayout.choose

  test("symmetric streams get a square, as in Fig. 6") {
    for (side <- 1 to 8)
      assert(choose(side * side, 2500, 2500, 300, 300) == MatrixLayout(side, side))
  }

  test("with no square of that size, symmetric streams get the nearest rectangle or a line") {
    assert(choose(6, 1000, 1000, 300, 300) == MatrixLayout(2, 3))
    assert(choose(8, 1000, 1000, 300, 300) == MatrixLayout(2, 4))
    assert(choose(7, 1000, 1000, 300, 300) == MatrixLayout.linear(7))
  }

  test("streams of different rates get a rectangle that cuts the larger window finer: Fig. 7a") {
    assert(choose(15, 1000, 3000, 300, 300) == MatrixLayout(3, 5))
    assert(choose(15, 3000, 1000, 300, 300) == MatrixLayout(5, 3))
    assert(choose(16, 100, 10000, 300, 300).columns > 4)
  }

  test("windows of different lengths get a rectangle that cuts the longer one finer: Fig. 7b") {
    assert(choose(16, 1000, 1000, 150, 300) == MatrixLayout(2, 8))
    assert(choose(16, 1000, 1000, 300, 150) == MatrixLayout(8, 2))
  }

  test("a stream that keeps no window, or sends nothing, is not cut") {
    assert(choose(12, 1000, 1000, 0, 300) == MatrixLayout(1, 12))
    assert(choose(12, 1000, 1000, TimeWindow(-300, 0)) == MatrixLayout(1, 12))
    assert(choose(12, 1000, 1000, TimeWindow(5, 300)) == MatrixLayout(12, 1))
    assert(choose(4, 0, 0, 300, 300) == MatrixLayout(2, 2), "nothing to go by")
  }

  test("a window's own lengths count: the later tuple's side, and rows instead of time") {
    assert(choose(16, 1000, 1000, TimeWindow.sliding(150, 300)) == MatrixLayout(2, 8))
    assert(choose(16, 1000, 1000, TimeWindow(Long.MinValue, Long.MaxValue)).isSquare)
    assert(choose(16, 1000, 1000, CountWindow(100)).isSquare)
    assert(choose(15, 1000, 1000, CountWindow(100)) == MatrixLayout(3, 5))
  }

  test("the expected latency is that of Expr. 7 on symmetric streams") {
    val rate = 2500.0
    val length = 300.0
    for (layout <- Seq(MatrixLayout(4, 4), MatrixLayout(2, 8), MatrixLayout.linear(16))) {
      val m = layout.rows
      val n = layout.columns
      val expected = rate * length * (m + n) / (4 * m * n)
      val actual = layout.expectedLatency(StreamLoad(rate, rate, rate * length, rate * length))
      assert(math.abs(actual - expected) < 1e-6 * expected)
    }
  }

  test("a layout of no workers, or of more than make sense, is refused with its size") {
    for ((rows, columns) <- Seq((0, 3), (3, 0), (-1, 2), (33, 32), (65536, 65536))) {
      val e = intercept[IllegalArgumentException](MatrixLayout(rows, columns))
      assert(e.getMessage.contains(s"$rows x $columns"))
    }
    for (workers <- Seq(0, -4, 1025))
      assert(
        intercept[IllegalArgumentException](choose(workers, 1, 1, 1, 1)).getMessage
          .contains(s"not $workers")
      )
    for (workers <- Seq(-4, 0, 8))
      assert(
        intercept[IllegalArgumentException](MatrixLayout.square(workers)).getMessage
          .contains(s"not $workers")
      )
    assert(MatrixLayout.square(9) == MatrixLayout(3, 3))
  }

  test("rows at rest get as many cells as there may be, in a multiple of those at once") {
    import MatrixLayout.atRest
    assert(atRest(16, 4, 500, 500) == MatrixLayout(4, 4))
    assert(atRest(202, 2, 500, 500) == MatrixLayout(14, 14), "202 cells would be 2 x 101")
    assert(atRest(15, 4, 500, 500) == MatrixLayout(3, 4))
    assert(atRest(3, 8, 500, 500).workers == 3)
    assert(atRest(1, 1, 0, 0) == MatrixLayout(1, 1))
    assert(atRest(1000000, 16, 500, 500) == MatrixLayout(32, 32))
    for ((most, atOnce) <- Seq((0, 1), (1, 0)))
      intercept[IllegalArgumentException](atRest(most, atOnce, 1, 1))
  }

  test("no other layout of rows at rest reads less") {
    for {
      most <- 1 to 40
      atOnce <- 1 to most
      r <- Seq(1.0, 30.0, 1000.0)
    } {
      def read(l: MatrixLayout) = r / l.rows + 30.0 / l.columns
      val all = for {
        cells <- 1 to most if cells % atOnce == 0
        rows <- 1 to cells if cells % rows == 0
      } yield MatrixLayout(rows, cells / rows)
      val chosen = MatrixLayout.atRest(most, atOnce, r, 30)
      assert(all.contains(chosen))
      assert(read(chosen) <= all.map(read).min * (1 + 1e-9))
    }
  }

  test("rates and lengths that are not numbers to go by are refused") {
    for (wrong <- Seq(-1.0, Double.NaN, Double.PositiveInfinity)) {
      intercept[IllegalArgumentException](choose(4, wrong, 1, 1, 1))
      intercept[IllegalArgumentException](choose(4, 1, 1, 1, wrong))
    }
  }
}

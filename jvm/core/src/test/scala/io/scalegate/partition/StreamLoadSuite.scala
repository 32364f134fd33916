package io.scalegate.partition

import org.scalatest.funsuite.AnyFunSuite

import io.scalegate.stream.{CountWindow, TimeWindow}

/** What streams ask of a join, on the paper's own experiment. */
final class StreamLoadSuite extends AnyFunSuite {
  private val window = TimeWindow.sliding(300, 300)
  private val hitRate = 3.6e-6

  test("the most results a second are those of Fig. 4: 9,526 at 2,100 tuples a second each") {
    val most = StreamLoad.of(2100, 2100, window).results(hitRate)
    assert(math.abs(most - 9526) < 1)
  }

  test("the fewest workers are the first whose results reach those of the streams") {
    val load = StreamLoad.of(2100, 2100, window)
    // Table I has 6 workers give 9,301 results a second in a rectangle, and 9 give 14,047 in a square.
    for (offered <- Seq(8529.0 / 6, 9301.0 / 6, 14047.0 / 9)) {
      val comparison = hitRate / offered
      val workers = load.workers(comparison)
      assert(workers == 7, "which is the paper's linear layout, the only one of so many")
      assert(MatrixLayout.linear(workers).offered(comparison, hitRate) >= load.results(hitRate))
      assert(
        MatrixLayout.linear(workers - 1).offered(comparison, hitRate) < load.results(hitRate)
      )
    }
  }

  test("streams of different rates and windows have the pairs of each with the other's window") {
    val load = StreamLoad.of(10, 30, TimeWindow(-5, 20))
    assert(load.rowsR == 200 && load.rowsS == 150)
    assert(load.comparisons == 10 * 150 + 30 * 200)
    assert(StreamLoad.of(10, 30, CountWindow(7)) == StreamLoad(10, 30, 7, 7))
    assert(StreamLoad.of(10, 30, CountWindow(7, 0)).comparisons == 30 * 7)
    assert(StreamLoad.of(10, 30, TimeWindow(1, 20)).rowsS == 0)
  }

  test(
    "streams of nothing need one worker; negative rates and comparisons of no time are refused"
  ) {
    assert(StreamLoad(0, 0, 0, 0).workers(1) == 1)
    for (
      load <- Seq[() => StreamLoad](
        () => StreamLoad(-1, 1, 1, 1),
        () => StreamLoad(1, 1, 1, Double.PositiveInfinity),
        () => StreamLoad(1, Double.NaN, 1, 1)
      )
    ) intercept[IllegalArgumentException](load())
    for (comparison <- Seq(0.0, -1.0, Double.NaN, Double.PositiveInfinity))
      assert(
        intercept[IllegalArgumentException](StreamLoad(1, 1, 1, 1).workers(comparison)).getMessage
          .contains("takes some time")
      )
  }
}

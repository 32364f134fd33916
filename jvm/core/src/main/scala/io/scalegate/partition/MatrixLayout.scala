package io.scalegate.partition

import io.scalegate.stream.{CountWindow, TimeWindow, Window}

/** How the workers of a `MatrixJoin` are arranged (DP-Join §III-C): R's window is cut into
  * `rows` segments, S's into `columns`, and each of the `rows * columns` workers has one of each.
  *
  * A linear layout has one row or one column: one window is cut, the other shared by all. A square
  * one cuts both alike. A rectangular one cuts the larger window into more segments.
  */
final case class MatrixLayout(rows: Int, columns: Int) {
  require(
    rows > 0 && columns > 0,
    s"a layout needs at least one row and one column of workers, not $rows x $columns"
  )
  require(
    rows.toLong * columns <= MatrixLayout.MostWorkers,
    s"a layout of $rows x $columns is ${rows.toLong * columns} threads, beyond the limit of " +
      s"${MatrixLayout.MostWorkers}; as many workers as cores is sensible"
  )

  def workers: Int = rows * columns

  def isLinear: Boolean = rows == 1 || columns == 1

  def isSquare: Boolean = rows == columns

  /** The mean number of rows that are compared before a result is found, counted from the arrival
    * of its later tuple: Expr. 5 and 6 without the time of one comparison.
    *
    * Expr. 6 weighs the streams by `p_x` and `p_y`, which the paper fixes for symmetric streams
    * only. Latency is a result's (Definition 3), so they are taken here as the share of results
    * whose later tuple is of X: among `λ_x W_y + λ_y W_x` comparisons, `λ_x W_y`. That puts the
    * best layouts of the paper's asymmetric experiments (Fig. 7) first; the share of tuples would
    * not.
    *
    * @param rateR
    *   tuples of R in a unit of time, of whatever length
    * @param rowsR
    *   tuples in R's window (`W`)
    */
  def expectedLatency(rateR: Double, rateS: Double, rowsR: Double, rowsS: Double): Double = {
    val comparisons = rateR * rowsS + rateS * rowsR
    val shareR = if (comparisons == 0) 0.5 else rateR * rowsS / comparisons
    shareR * rowsS / (2 * columns) + (1 - shareR) * rowsR / (2 * rows)
  }

  override def toString: String = s"$rows x $columns"
}

object MatrixLayout {

  /** More threads than this are a mistake. */
  val MostWorkers: Int = 1024

  def linear(workers: Int): MatrixLayout = MatrixLayout(1, workers)

  /** As many rows as columns. */
  def square(workers: Int): MatrixLayout = {
    val side = math.round(math.sqrt(math.max(workers, 0).toDouble)).toInt
    require(
      workers > 0 && side.toLong * side == workers,
      s"a square layout needs a square number of workers, not $workers; choose a rectangular one"
    )
    MatrixLayout(side, side)
  }

  /** The layout of so many workers with the least expected latency (Expr. 5 to 7): of those with
    * the same, the one that is nearest to a square, then the one with fewer rows.
    *
    * All layouts of one size have the same throughput (Expr. 4), so the number of workers is not
    * reduced: a prime number of them makes a linear layout.
    *
    * @param rateR
    *   tuples of R in a unit of time
    * @param windowR
    *   how many units of time a tuple of R stays in its window
    */
  def choose(
      workers: Int,
      rateR: Double,
      rateS: Double,
      windowR: Double,
      windowS: Double
  ): MatrixLayout = chooseForRows(workers, rateR, rateS, rateR * windowR, rateS * windowS)

  /** As above, with the lengths of a join's window. */
  def choose(workers: Int, rateR: Double, rateS: Double, window: Window): MatrixLayout =
    window match {
      case CountWindow(size) =>
        chooseForRows(workers, rateR, rateS, size.toDouble, size.toDouble)
      case TimeWindow(lower, upper) =>
        val least = lower.toDouble
        val most = upper.toDouble
        choose(workers, rateR, rateS, stay(least, most), stay(-most, -least))
    }

  /** The layout for so many rows at rest, all of which meet: of at most `most` cells, in a number that `atOnce`
    * divides, those that read the least (Expr. 5 and 6, where a stream's window is all of it). Cells are alike,
    * so workers that take them `atOnce` at a time are done together.
    *
    * @param most
    *   if there are fewer than `atOnce`, the number of cells
    */
  def atRest(most: Int, atOnce: Int, rowsR: Double, rowsS: Double): MatrixLayout = {
    require(most > 0 && atOnce > 0, s"no layout has $most cells, or $atOnce of them at once")
    val greatest = math.min(most, MostWorkers)
    // Of half as many cells each reads more: one of their rows or columns can be split.
    val sizes = (greatest / 2 + 1 to greatest).filter(_ % atOnce == 0)
    (if (sizes.isEmpty) Seq(multipleUpTo(greatest, atOnce)) else sizes)
      .map(chooseForRows(_, rowsR, rowsS, rowsR, rowsS))
      .minBy(_.expectedLatency(rowsR, rowsS, rowsR, rowsS))
  }

  private[this] def multipleUpTo(most: Int, divisor: Int): Int =
    if (most < divisor) most else most - most % divisor

  /** For how long a tuple meets later ones of the other stream that are between `lower` and
    * `upper` after it.
    */
  private[this] def stay(lower: Double, upper: Double): Double =
    math.max(upper - math.max(lower, 0), 0)

  private[this] def chooseForRows(
      workers: Int,
      rateR: Double,
      rateS: Double,
      rowsR: Double,
      rowsS: Double
  ): MatrixLayout = {
    require(
      workers > 0 && workers <= MostWorkers,
      s"a layout needs between 1 and $MostWorkers workers, not $workers"
    )
    for (n <- Seq(rateR, rateS, rowsR, rowsS))
      require(
        n >= 0 && !n.isInfinite,
        s"rates and window lengths are finite and not negative, unlike $n"
      )
    val layouts = (1 to workers).filter(workers % _ == 0).map(m => MatrixLayout(m, workers / m))
    layouts.minBy(l =>
      (l.expectedLatency(rateR, rateS, rowsR, rowsS), math.abs(l.rows - l.columns), l.rows)
    )
  }
}

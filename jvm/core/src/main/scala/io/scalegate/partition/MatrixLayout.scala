package io.scalegate.partition

import io.scalegate.stream.Window

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
    */
  def expectedLatency(load: StreamLoad): Double = {
    val shareR = if (load.comparisons == 0) 0.5 else load.comparisonsOfR / load.comparisons
    shareR * load.rowsS / (2 * columns) + (1 - shareR) * load.rowsR / (2 * rows)
  }

  /** The results that the workers give in a unit of time where they have more to do than they can:
    * `B_mxn` of Expr. 4. How they are arranged makes no difference.
    *
    * @param comparison
    *   how much of that unit a worker takes to compare two tuples, `T`
    * @param hitRate
    *   how many of the pairs that are compared match, `p`
    */
  def offered(comparison: Double, hitRate: Double): Double = workers / comparison * hitRate

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
  ): MatrixLayout =
    choose(workers, StreamLoad(rateR, rateS, rateR * windowR, rateS * windowS))

  /** As above, with the lengths of a join's window. */
  def choose(workers: Int, rateR: Double, rateS: Double, window: Window): MatrixLayout =
    choose(workers, StreamLoad.of(rateR, rateS, window))

  /** As above. */
  def choose(workers: Int, load: StreamLoad): MatrixLayout = {
    require(
      workers > 0 && workers <= MostWorkers,
      s"a layout needs between 1 and $MostWorkers workers, not $workers"
    )
    val layouts = (1 to workers).filter(workers % _ == 0).map(m => MatrixLayout(m, workers / m))
    layouts.minBy(l => (l.expectedLatency(load), math.abs(l.rows - l.columns), l.rows))
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
    val load = StreamLoad(rowsR, rowsS, rowsR, rowsS)
    val greatest = math.min(most, MostWorkers)
    // Of half as many cells each reads more: one of their rows or columns can be split.
    val sizes = (greatest / 2 + 1 to greatest).filter(_ % atOnce == 0)
    (if (sizes.isEmpty) Seq(multipleUpTo(greatest, atOnce)) else sizes)
      .map(choose(_, load))
      .minBy(_.expectedLatency(load))
  }

  private[this] def multipleUpTo(most: Int, divisor: Int): Int =
    if (most < divisor) most else most - most % divisor
}

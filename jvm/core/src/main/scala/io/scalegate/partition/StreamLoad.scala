package io.scalegate.partition

import io.scalegate.stream.{CountWindow, TimeWindow, Window}

/** What two streams ask of their join while their windows are full (DP-Join §IV-B): each tuple is compared
  * with the other stream's window. Any unit of time will do.
  *
  * @param rateR
  *   tuples of R in a unit of time, `λ_x`
  * @param rowsR
  *   tuples in R's window, `W_x`
  */
final case class StreamLoad(rateR: Double, rateS: Double, rowsR: Double, rowsS: Double) {
  for (n <- Seq(rateR, rateS, rowsR, rowsS))
    require(
      n >= 0 && !n.isInfinite,
      s"rates and window lengths are finite and not negative, unlike $n"
    )

  /** The pairs that R's tuples have with S's window, in a unit of time. */
  def comparisonsOfR: Double = rateR * rowsS

  /** All pairs that are compared in a unit of time. */
  def comparisons: Double = comparisonsOfR + rateS * rowsR

  /** The results that the streams have in a unit of time, and that no join of them can exceed: `B_max` of
    * Expr. 3, here for windows of any two lengths.
    *
    * @param hitRate
    *   how many of the pairs that are compared match, `p`
    */
  def results(hitRate: Double): Double = comparisons * hitRate

  /** The fewest workers that the streams do not outrun, `n_bw`: those that offer as many results (Expr. 4) as
    * there are (Expr. 3), whatever the hit rate.
    *
    * @param comparison
    *   how much of a unit of time a worker takes to compare two tuples, `T`
    */
  def workers(comparison: Double): Int = {
    require(
      comparison > 0 && !comparison.isInfinite,
      s"a comparison takes some time, not $comparison"
    )
    math.max(1, math.ceil(comparisons * comparison)).toInt
  }
}

object StreamLoad {

  /** With the lengths of a join's window. */
  def of(rateR: Double, rateS: Double, window: Window): StreamLoad = window match {
    case CountWindow(rowsR, rowsS) =>
      StreamLoad(rateR, rateS, rowsR.toDouble, rowsS.toDouble)
    case TimeWindow(lower, upper) =>
      val (least, most) = (lower.toDouble, upper.toDouble)
      StreamLoad(rateR, rateS, rateR * stay(least, most), rateS * stay(-most, -least))
  }

  /** For how long a tuple meets later ones of the other stream that are between `lower` and `upper` after it. */
  private[this] def stay(lower: Double, upper: Double): Double =
    math.max(upper - math.max(lower, 0), 0)
}

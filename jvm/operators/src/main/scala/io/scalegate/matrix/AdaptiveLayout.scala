package io.scalegate.matrix

import io.scalegate.partition.{MatrixLayout, StreamLoad}

/** Arranges workers by what their streams are now (the "dynamic adaptiveness" that DP-Join, §V, leaves to future
  * work). Once as many tuples have come as are in the windows, it asks for the layout with the least expected
  * latency (Expr. 5 to 7) of their numbers since the last look and of the windows' rows, and takes it where a result
  * would wait for a tenth less. So no more rows are moved than tuples come, and noise changes nothing.
  *
  * @param most
  *   rows that a segment may have; a layout with more than half of them in one is not taken
  */
final private[matrix] class AdaptiveLayout(most: Int) extends Rearrangement {
  private[this] val seen = Array(0L, 0L)

  def next(now: Topology, sent: Int => Long, held: Int => Long): Option[Topology] = {
    val news = (0 to 1).map(a => sent(a) - seen(a))
    if (news.sum < AdaptiveLayout.Least) None
    else {
      val rows = (0 to 1).map(held)
      if (news.sum < rows.sum) None
      else {
        for (a <- 0 to 1) seen(a) = sent(a)
        better(now, news, rows)
      }
    }
  }

  private[this] def better(
      now: Topology,
      news: Seq[Long],
      rows: Seq[Long]
  ): Option[Topology] = {
    val load =
      StreamLoad(news(0).toDouble, news(1).toDouble, rows(0).toDouble, rows(1).toDouble)
    val best = MatrixLayout.choose(now.workers, load)
    val to = AdaptiveLayout.topology(best)
    val gains = best.expectedLatency(load) <
      AdaptiveLayout.Gain * AdaptiveLayout.layout(now).expectedLatency(load)
    Option.when(gains && (0 to 1).forall(a => rows(a) / to.segments(a) <= most / 2))(to)
  }
}

private[matrix] object AdaptiveLayout {

  /** Tuples from which rates are taken. */
  val Least = 1024

  /** The part of the expected latency that a change must come to. */
  val Gain = 0.9

  def topology(layout: MatrixLayout): Topology =
    new Topology(Vector(layout.rows, layout.columns))

  def layout(topology: Topology): MatrixLayout =
    MatrixLayout(topology.segments(0), topology.segments(1))
}

package io.scalegate.spark.join.plan

import org.apache.spark.sql.internal.SQLConf

import io.scalegate.partition.MatrixLayout
import io.scalegate.spark.join.Probing
import io.scalegate.spark.plan.InputSize
import io.scalegate.spark.settings.{Cores, Errors, ScaleGateConf}
import io.scalegate.stream.Side

/** The matrix of cells that a join's rows meet in (DP-Join §III-C), and why it is that one.
  *
  * @param probing
  *   with the probe side, which an inner join is free to choose; a cell holds its part of the build side
  */
final case class MatrixChoice(layout: MatrixLayout, probing: Probing, why: String) {
  def describe: String = s"matrix of $layout cells, $why"
}

/** Chooses the layout, after what the user asked for: first by the hint, then by the setting.
  *
  *   - An inner join's cells are those that read the least, by the sizes of the inputs; there are as many of them as
  *     shuffle partitions, or somewhat fewer, and a multiple of the tasks that run at once.
  *   - In the other joins a row of the probe side is decided in one cell, so that each cell reads all of the
  *     other side: there are no more cells than tasks that run at once.
  */
object MatrixChoice {
  def forJoin(c: WindowJoinCandidate, free: Probing, conf: SQLConf): MatrixChoice = {
    for (layout <- c.layout; why <- obstacle(layout, free)) throw Errors.hintLayout(layout, why)
    c.layout
      .map(_ -> "as hinted")
      .orElse(ScaleGateConf.layout(conf).filter(obstacle(_, free).isEmpty).map(_ -> "as set"))
      .map { case (layout, why) => MatrixChoice(layout, probing(c, free, layout), why) }
      .getOrElse(bySize(c, free, conf))
  }

  private[this] def bySize(c: WindowJoinCandidate, free: Probing, conf: SQLConf): MatrixChoice = {
    val partitions = mostCells(c, conf)
    val (l, r) = weights(c)
    if (free.isInner) {
      val layout = MatrixLayout.atRest(partitions, Cores.tasksAtOnce, l, r)
      MatrixChoice(layout, probing(c, free, layout), sizes(c))
    } else {
      val cells = math.min(math.min(partitions, Cores.tasksAtOnce), MatrixLayout.MostWorkers)
      val fromLeft = free.side eq Side.R
      val layout = if (fromLeft) MatrixLayout(cells, 1) else MatrixLayout(1, cells)
      MatrixChoice(layout, free, s"each ${free.sideName} row in one")
    }
  }

  /** Where every row meets every other, more cells are smaller tasks. Where an index finds what a row meets, most of the
    * work is to copy rows to cells: there is one for each core, or as many times that as the side to index has cells'
    * worth of bytes. Inputs of unknown size that nobody asked us to join may be small, and are treated as such.
    */
  private[this] def mostCells(c: WindowJoinCandidate, conf: SQLConf): Int = {
    val sizes = Seq(c.join.left, c.join.right).map(InputSize.from)
    val isKnown = sizes.forall(_.isKnown)
    val most =
      if (c.isBounded && isKnown) {
        val indexed = sizes.map(_.bytes).min
        Cores.tasksAtOnce * (1 + indexed / conf.getConf(SQLConf.ADVISORY_PARTITION_SIZE_IN_BYTES))
      } else if (c.isRequested || isKnown) BigInt(conf.numShufflePartitions)
      else BigInt(Cores.tasksAtOnce)
    most.min(conf.numShufflePartitions).toInt
  }

  /** The layout that a hint names, for a join of two streams: while its checkpoint lives it is the same, so nothing
    * that may change decides it.
    */
  def forStreams(c: WindowJoinCandidate, probing: Probing): MatrixLayout = {
    val layout = c.layout.getOrElse(throw Errors.streamLayout)
    for (why <- obstacle(layout, probing)) throw Errors.hintLayout(layout, why)
    layout
  }

  private[this] def obstacle(layout: MatrixLayout, probing: Probing): Option[String] = {
    val copied = if (probing.side eq Side.R) layout.columns else layout.rows
    if (probing.unfound && layout.workers > 1)
      Some("a full join decides the rows of both sides, each where all that it matches can be")
    else if (probing.isInner || copied == 1) None
    else {
      val linear = if (probing.side eq Side.R) s"${layout.workers}x1" else s"1x${layout.workers}"
      Some(
        s"this join decides each row of its ${probing.sideName} side in one cell, as in a layout of $linear"
      )
    }
  }

  /** The way to hold the side of which a cell has less. */
  private[this] def probing(
      c: WindowJoinCandidate,
      free: Probing,
      layout: MatrixLayout
  ): Probing = {
    val (l, r) = weights(c)
    if (!free.isInner) free
    else free.copy(side = if (l / layout.rows < r / layout.columns) Side.S else Side.R)
  }

  /** The sizes of both inputs; the same where one is not known. */
  private[this] def weights(c: WindowJoinCandidate): (Double, Double) = {
    val sizes = Seq(c.join.left, c.join.right).map(InputSize.from)
    if (sizes.forall(_.isKnown)) (sizes(0).bytes.toDouble, sizes(1).bytes.toDouble) else (1, 1)
  }

  private[this] def sizes(c: WindowJoinCandidate): String =
    s"for ${InputSize.from(c.join.left).describe} and ${InputSize.from(c.join.right).describe}"
}

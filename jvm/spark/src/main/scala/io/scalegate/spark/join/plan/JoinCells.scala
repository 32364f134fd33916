package io.scalegate.spark.join.plan

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.internal.SQLConf

import io.scalegate.band.Grid
import io.scalegate.spark.join.Probing
import io.scalegate.spark.join.batch.SliceBy
import io.scalegate.spark.plan.KeyLayout
import io.scalegate.spark.settings.ScaleGateConf
import io.scalegate.stream.Sides

/** The cells that the rows of a join with a window meet in, where its equality keys do not bring them together as they
  * should. Chosen when a join is planned; a sample may start a job then.
  *
  * @param attributes
  *   of each input, that decide a row's cells
  * @param describe
  *   what they are made of, for EXPLAIN
  */
final case class JoinCells(by: SliceBy, attributes: Sides[Seq[Expression]], describe: String)

object JoinCells {

  /** None for a join whose keys are no more frequent than a task can bear. The probe side's rows are in one cell each.
    */
  def forJoin(c: WindowJoinCandidate, probing: Probing): Option[JoinCells] =
    if (c.leftKeys.isEmpty) Some(ofGrid(c, probing)) else ofHotKeys(c, probing)

  private[this] def ofGrid(c: WindowJoinCandidate, probing: Probing): JoinCells = {
    val dimensions = GridDimensions.forJoin(c, SQLConf.get)
    JoinCells(
      SliceBy.Cells(Grid(dimensions.map(_.band).toIndexedSeq, single = probing.side)),
      Sides(dimensions.map(_.storedLeft), dimensions.map(_.storedRight)),
      "no equality key"
    )
  }

  /** A full join's rows are decided where all of their matches are. An input that lies by its keys is left where it
    * lies: to cut a key costs an exchange of it, and of what comes after the join.
    */
  private[this] def ofHotKeys(c: WindowJoinCandidate, probing: Probing): Option[JoinCells] =
    if (probing.unfound || c.key.isEmpty || liesByKeys(c)) None
    else
      for {
        sample <- JoinSample.forJoin(c, SQLConf.get)
        conf = SQLConf.get
        hot <- SkewedKeys.find(
          c,
          sample,
          probing.side,
          conf.numShufflePartitions,
          ScaleGateConf.hotKeyTheta(conf)
        )
      } yield {
        val key = c.key.get
        JoinCells(
          SliceBy.Keys(hot.slices, Vector(key.band, c.sweep.band).map(_.attribute)),
          Sides(Seq(key.left, c.sweep.storedLeft), Seq(key.right, c.sweep.storedRight)),
          hot.describe
        )
      }

  /** Whether an input lies by its keys already. */
  private[join] def liesByKeys(c: WindowJoinCandidate): Boolean =
    KeyLayout.isBy(c.join.left, c.leftKeys) || KeyLayout.isBy(c.join.right, c.rightKeys)
}

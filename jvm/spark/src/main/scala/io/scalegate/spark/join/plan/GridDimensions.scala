package io.scalegate.spark.join.plan

import org.apache.spark.sql.internal.SQLConf

import io.scalegate.spark.bounds.BoundedDifference

/** The bounded attributes that a join without equality keys is cut into cells along.
  *
  * Chosen when a join is planned; a sample may start a job then.
  */
object GridDimensions {

  /** Those that let the least through by a sample of the inputs. Without one, all but that which the window
    * slides along, if there are others.
    */
  def forJoin(c: WindowJoinCandidate, conf: SQLConf): Seq[BoundedDifference] =
    if (c.bands.isEmpty) Seq(c.sweep)
    else
      JoinSample.forJoin(c, conf) match {
        case None => c.bands.take(Most)
        case Some(sample) =>
          val shares = c.differences.indices.map(sample.share)
          val selective = c.differences.indices.sortBy(shares(_)).take(Most)
          selective.filter(i => i == selective.head || shares(i) < Worth).map(c.differences)
      }

  /** More would make more copies of a side's rows than their selectivity is worth. */
  private[this] val Most = 2

  /** A second attribute that lets a larger share of the pairs through makes more copies than it saves comparisons. */
  private[this] val Worth = 1.0 / 8
}

package io.scalegate.spark.join.aggregate

import org.apache.spark.sql.catalyst.expressions.Expression

import io.scalegate.band.IntegralBand
import io.scalegate.spark.rows.NodeTerms

/** An interval around each left row, and what is computed of the right rows in it, as it is planned.
  *
  * @param band
  *   in which the right time lies from the left one, in the times' unit
  * @param aggregates
  *   over the right columns
  * @param keepsLast
  *   whether the last right row before the interval counts, too, while none stands where the interval begins
  */
final private[scalegate] case class SlidingInterval(
    band: IntegralBand,
    aggregates: AggregateTerms,
    keepsLast: Boolean
) extends NodeTerms {
  override def children: Seq[Expression] = Seq(aggregates)

  override protected def withNewChildrenInternal(
      changed: IndexedSeq[Expression]
  ): SlidingInterval = copy(aggregates = changed(0).asInstanceOf[AggregateTerms])
}

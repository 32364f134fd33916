package io.scalegate.spark.join.aggregate

import org.apache.spark.sql.catalyst.expressions.Expression

import io.scalegate.spark.rows.NodeTerms

/** An interval around each left row, and what is computed of the right rows in it.
  *
  * @param condition
  *   equality keys, and bounds on the difference of two times
  * @param keepsLast
  *   whether the last right row before the interval counts, too, while none stands where the interval begins
  */
final private[scalegate] case class IntervalPart(
    condition: Expression,
    terms: AggregateTerms,
    keepsLast: Boolean
) extends NodeTerms {
  override def children: Seq[Expression] = Seq(condition, terms)

  override protected def withNewChildrenInternal(
      changed: IndexedSeq[Expression]
  ): IntervalPart = copy(changed(0), changed(1).asInstanceOf[AggregateTerms])
}

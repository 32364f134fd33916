package io.scalegate.spark.join.asof

import org.apache.spark.sql.catalyst.expressions.{
  And,
  Expression,
  GreaterThanOrEqual,
  LessThanOrEqual,
  PredicateHelper
}
import org.apache.spark.sql.catalyst.planning.ExtractEquiJoinKeys
import org.apache.spark.sql.catalyst.plans.logical.statsEstimation.EstimationUtils
import org.apache.spark.sql.catalyst.plans.logical.{Join, JoinHint, LogicalPlan, Statistics}
import org.apache.spark.sql.catalyst.plans.{Inner, JoinType}

import io.scalegate.band.{Band, IntegralBand}
import io.scalegate.lookup.Direction
import io.scalegate.spark.bounds.{BoundExtractor, BoundText}
import io.scalegate.spark.join.JoinKeys
import io.scalegate.spark.join.rowcount.WithinRows
import io.scalegate.spark.plan.{BothStreaming, InTwoSteps, JoinNode, OwnNode}

/** The join of each left row with the right rows nearest to it in time. A node of its own and no Join: a filter of the
  * right columns that moves below a join leaves the join's rows as they are, but takes rows away here that would have
  * been the nearest, and so makes others of them.
  *
  * @param condition
  *   what a right row must satisfy, with the left one, to be taken at all
  * @param joinType
  *   inner, left outer, left semi or left anti
  * @param broadcast
  *   whether a hint asks for the right side to be broadcast, whatever its size
  */
final case class AsOfJoin(
    left: LogicalPlan,
    right: LogicalPlan,
    terms: AsOfTerms,
    condition: Option[Expression],
    joinType: JoinType,
    broadcast: Boolean
) extends JoinNode
    with InTwoSteps
    with PredicateHelper {

  def isOfStreams: Boolean = BothStreaming(left, right)

  /** The equality keys, in a form whose bytes are the same where values are equal, and what else is in the condition. */
  def equalities: (JoinKeys, Seq[Expression]) = {
    val pairs = Join(left, right, Inner, condition, JoinHint.NONE)
    pairs match {
      case ExtractEquiJoinKeys(_, l, r, others, _, _, _, _) =>
        val keys = JoinKeys(l.map(WithinRows.comparable), r.map(WithinRows.comparable))
        (keys, others.toSeq.flatMap(splitConjunctivePredicates))
      case _ => (JoinKeys(Nil, Nil), condition.toSeq.flatMap(splitConjunctivePredicates))
    }
  }

  /** The band that the tolerance sets, if one can be read of it, and what of the tolerance is to be evaluated. */
  def reach: (Option[Band], Seq[Expression]) = {
    import terms.{direction, leftTime, rightTime, timeType, tolerance}
    if (tolerance.isEmpty) (None, Nil)
    else {
      val order = direction match {
        case Direction.Backward => Some(LessThanOrEqual(rightTime, leftTime))
        case Direction.Forward => Some(GreaterThanOrEqual(rightTime, leftTime))
        case Direction.Nearest => None
      }
      val extractor = new BoundExtractor(left.outputSet, right.outputSet)
      val found = extractor.extract(tolerance ++ order)._1.find { d =>
        d.termType == timeType && !d.isEmpty &&
        d.left.semanticEquals(leftTime) && d.right.semanticEquals(rightTime)
      }
      found match {
        // Dates wrap around in a sum, and then no right row is in order that satisfies the tolerance.
        case Some(d) if d.range.circular =>
          val days = IntegralBand(
            timeType.attribute,
            d.range.lower.toLong,
            d.range.upper.toLong
          )
          (Some(days), tolerance)
        case Some(d) => (Some(d.band), if (d.exact) Nil else tolerance)
        case None => (None, tolerance)
      }
    }
  }

  /** What EXPLAIN says of it.
    *
    * @param algorithm
    *   how it is run
    */
  def describe(algorithm: String): String = {
    val (keys, others) = equalities
    val same = keys.left.zip(keys.right).map { case (l, r) => s"${l.sql} = ${r.sql}" }
    BoundText.withoutOwnNames(
      Seq(
        Option.when(same.nonEmpty)(same.mkString("keys: ", ", ", "")),
        Some(s"as of: ${terms.describe}"),
        others.reduceOption(And.apply).map(c => s"residual: ${c.sql}"),
        Some(s"algorithm: $algorithm")
      ).flatten.mkString("; ")
    )
  }

  /** A left row has no more rows than it may have right ones, whichever batch of a stream it comes in. */
  override def maxRows: Option[Long] =
    if (isStreaming) None else OwnNode.times(left.maxRows, terms.most.toLong)

  override def stats: Statistics = {
    val rows = left.stats.rowCount.map(_ * terms.most)
    val widening =
      EstimationUtils.getSizePerRow(output).toDouble / EstimationUtils
        .getSizePerRow(left.output).toDouble
    val bytes =
      (BigDecimal(left.stats.sizeInBytes * terms.most) * widening).toBigInt.max(BigInt(1))
    Statistics(sizeInBytes = bytes, rowCount = rows)
  }

  override protected def over(l: LogicalPlan, r: LogicalPlan): AsOfJoin =
    copy(left = l, right = r)
}

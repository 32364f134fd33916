package io.scalegate.spark.join.batch

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical.{
  Distribution,
  Partitioning,
  UnspecifiedDistribution
}
import org.apache.spark.sql.execution.{BinaryExecNode, SparkPlan}

import io.scalegate.spark.exchange.ExchangeReader
import io.scalegate.spark.join.{JoinedPairs, Probing, WindowJoinNode}
import io.scalegate.stream.Sides

/** The join of two batch inputs by a condition that bounds differences between them, or makes intervals of them
  * overlap, or holds for any pairs of rows that meet.
  *
  * Planned on the driver. Adaptive execution may plan it again, and cut its partitions, when its inputs have run.
  *
  * @param probing
  *   what is given for each row of which side
  * @param local
  *   what its tasks do
  * @param isCut
  *   whether the inputs' partitions are parts of those by the keys
  */
final case class WindowJoinExec(
    probing: Probing,
    local: LocalJoin,
    description: String,
    left: SparkPlan,
    right: SparkPlan,
    isCut: Boolean = false
) extends BinaryExecNode
    with WindowJoinNode
    with ExchangeReader {
  private[this] def inputs = Sides(left, right)

  override def nodeName: String = if (isCut) s"${local.shownName}(skew=true)" else local.shownName

  override protected def counters: Seq[(String, String)] = local.counters

  override protected def joined: Sides[Seq[Attribute]] =
    local.joined(probing, inputs.map(_.output))

  override def producedAttributes: AttributeSet = local.produced

  override def requiredChildDistribution: Seq[Distribution] =
    if (isCut) Seq(UnspecifiedDistribution, UnspecifiedDistribution)
    else local.distribution(probing).toSeq

  override def requiredChildOrdering: Seq[Seq[SortOrder]] = local.ordering.toSeq

  override def outputPartitioning: Partitioning =
    local.outputPartitioning(probing, inputs, isCut)

  override def outputOrdering: Seq[SortOrder] = local.outputOrdering(probing, inputs)

  override protected def pairs(opened: JoinedPairs => JoinedPairs): RDD[InternalRow] =
    local.pairs(probing, inputs, opened)

  /** Whether the inputs' partitions may be cut where they are skewed, see [[inParts]]: their exchanges are adaptive
    * execution's own.
    */
  def mayBeCut: Boolean = !isCut && local.mayBeCut

  /** The same join of inputs whose partitions are parts of those by the keys: each pair of rows that match still meets
    * in one task, and no row is decided in two.
    */
  def inParts(left: SparkPlan, right: SparkPlan): WindowJoinExec =
    copy(left = left, right = right, isCut = true)

  override protected def withNewChildrenInternal(l: SparkPlan, r: SparkPlan): SparkPlan =
    copy(left = l, right = r)
}

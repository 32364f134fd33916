package io.scalegate.spark.exec

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet, Expression, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical.{
  BroadcastDistribution,
  Distribution,
  IdentityBroadcastMode,
  Partitioning,
  UnspecifiedDistribution
}
import org.apache.spark.sql.execution.SparkPlan

import io.scalegate.stream.Side

/** The join of a batch input with one that is small enough to be broadcast, by its
  * bounded attributes. Each executor indexes the broadcast rows once, and each row of the other input is looked up where it
  * is: nothing is exchanged or sorted.
  *
  * The output has the partitioning and the order of the input that is not broadcast.
  *
  * @param probing
  *   the other side is held whole; its plan gives [[PackedRows]]
  * @param held
  *   the columns of those rows
  * @param by
  *   how the attributes of a pair of rows relate
  * @param residual
  *   what is left of the condition, evaluated on every candidate
  */
final case class BroadcastWindowJoinExec(
    probing: Probing,
    held: Seq[Attribute],
    leftBounded: Seq[Expression],
    rightBounded: Seq[Expression],
    by: IndexBy,
    residual: Option[Expression],
    description: String,
    left: SparkPlan,
    right: SparkPlan
) extends WindowJoinNode {
  override def nodeName: String = "BroadcastWindowJoin"

  override protected def counters: Seq[(String, String)] = Seq(
    "comparisons" -> "comparisons",
    "rowsKept" -> "index rows, sum over tasks",
    "peakWindow" -> "peak index rows, sum over tasks",
    "blockTasks" -> "tasks that had no memory for the index"
  )

  /** The side that is held whole. */
  def broadcast: Side = probing.side.opposite

  private[this] def packed: SparkPlan = if (broadcast eq Side.R) left else right
  private[this] def streamed: SparkPlan = if (broadcast eq Side.R) right else left

  override protected def joined: (Seq[Attribute], Seq[Attribute]) =
    if (broadcast eq Side.R) (held, right.output) else (left.output, held)

  override def producedAttributes: AttributeSet = AttributeSet(held)

  override def requiredChildDistribution: Seq[Distribution] = {
    val whole = BroadcastDistribution(IdentityBroadcastMode)
    if (broadcast eq Side.R) whole :: UnspecifiedDistribution :: Nil
    else UnspecifiedDistribution :: whole :: Nil
  }

  override def outputPartitioning: Partitioning = streamed.outputPartitioning

  override def outputOrdering: Seq[SortOrder] = streamed.outputOrdering

  override protected def pairs(opened: JoinedPairs => JoinedPairs): RDD[InternalRow] = {
    val work = new LookupTask(
      probing,
      new BoundedInput(leftBounded, if (broadcast eq Side.R) held else left.output),
      new BoundedInput(rightBounded, if (broadcast eq Side.R) right.output else held),
      by,
      residual
    )
    val rows = packed.executeBroadcast[Array[InternalRow]]()
    streamed.execute().mapPartitions(probes => opened(work.join(probes, rows.value)))
  }

  override protected def withNewChildrenInternal(l: SparkPlan, r: SparkPlan): SparkPlan =
    copy(left = l, right = r)
}

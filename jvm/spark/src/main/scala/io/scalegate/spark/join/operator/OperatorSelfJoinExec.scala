package io.scalegate.spark.join.operator

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Ascending,
  Attribute,
  AttributeMap,
  AttributeSet,
  Expression,
  SortOrder
}
import org.apache.spark.sql.catalyst.plans.physical.{
  AllTuples,
  ClusteredDistribution,
  Distribution,
  Partitioning,
  PartitioningCollection,
  SinglePartition
}
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}

import io.scalegate.spark.exchange.ExchangeReader
import io.scalegate.spark.join.{JoinedPairs, Probing}
import io.scalegate.spark.settings.NamedOperator
import io.scalegate.stream.Sides

/** The inner join of an input with itself, within a window of time, by an operator that keeps and indexes each row once. The
  * input is read once, in the order of its times: in one task, or by its equality keys.
  *
  * A row whose time, key or banded attribute is NULL matches nothing.
  *
  * @param operator
  *   with the threads of each task
  */
final case class OperatorSelfJoinExec(
    operator: NamedOperator,
    terms: SelfJoinTerms,
    description: String,
    child: SparkPlan
) extends UnaryExecNode
    with OperatorNode
    with ExchangeReader {
  override def probing: Probing = Probing.Inner

  override protected def joined: Sides[Seq[Attribute]] = terms.columns

  override def producedAttributes: AttributeSet =
    AttributeSet(terms.left ++ terms.right)

  override def requiredChildDistribution: Seq[Distribution] =
    Seq(if (terms.keys.isEmpty) AllTuples else ClusteredDistribution(terms.keys))

  override def requiredChildOrdering: Seq[Seq[SortOrder]] =
    Seq(Seq(SortOrder(terms.time, Ascending)))

  override def outputPartitioning: Partitioning =
    if (terms.keys.isEmpty) SinglePartition
    else PartitioningCollection(terms.columns.toSeq.map(lyingBy))

  /** Where the input's rows lie, by these names of its columns. */
  private[this] def lyingBy(columns: Seq[Attribute]): Partitioning =
    child.outputPartitioning match {
      case by: Expression =>
        val names = AttributeMap(child.output.zip(columns))
        val named = by.transform { case a: Attribute => names.getOrElse(a, a) }
        named.asInstanceOf[Partitioning]
      case other => other
    }

  override protected def pairs(opened: JoinedPairs => JoinedPairs): RDD[InternalRow] = {
    val work = new SelfJoinTask(terms, child.output, operator)
    val begin = beginning(opened)
    child.execute().mapPartitions(rows => begin(() => work.join(rows)))
  }

  override protected def withNewChildInternal(changed: SparkPlan): SparkPlan =
    copy(child = changed)
}

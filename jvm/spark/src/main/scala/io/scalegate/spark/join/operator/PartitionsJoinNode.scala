package io.scalegate.spark.join.operator

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Ascending,
  Attribute,
  Expression,
  RowOrdering,
  SortOrder
}
import org.apache.spark.sql.execution.BinaryExecNode

import io.scalegate.spark.join.{JoinedPairs, PartitionsJoinTask, WindowJoinNode}
import io.scalegate.stream.Sides

/** A join of two inputs that come partitioned alike and in the order of their times. */
trait PartitionsJoinNode extends BinaryExecNode with WindowJoinNode {

  /** The work of a task. */
  protected def task: PartitionsJoinTask

  final protected def columns: Sides[Seq[Attribute]] = Sides(left.output, right.output)

  override protected def joined: Sides[Seq[Attribute]] = columns

  /** The order of the inputs, by those of the terms that have one. */
  final protected def orderBy(terms: Sides[Seq[Expression]]): Seq[Seq[SortOrder]] =
    terms.toSeq.map(
      _.filter(e => RowOrdering.isOrderable(e.dataType)).map(SortOrder(_, Ascending))
    )

  override protected def pairs(opened: JoinedPairs => JoinedPairs): RDD[InternalRow] = {
    val work = task
    left.execute().zipPartitions(right.execute())((l, r) => opened(work.join(l, r)))
  }
}

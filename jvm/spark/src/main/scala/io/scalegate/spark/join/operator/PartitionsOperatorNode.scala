package io.scalegate.spark.join.operator

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow

import io.scalegate.spark.join.JoinedPairs

/** A join of two inputs by an operator of the papers. */
trait PartitionsOperatorNode extends PartitionsJoinNode with OperatorNode {
  override protected def task: OperatorTask

  override protected def pairs(opened: JoinedPairs => JoinedPairs): RDD[InternalRow] = {
    val (work, begin) = (task, beginning(opened))
    left.execute().zipPartitions(right.execute())((l, r) => begin(() => work.join(l, r)))
  }
}

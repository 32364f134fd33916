package io.scalegate.spark.join.rowcount

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Ascending, Attribute, RowOrdering, SortOrder}

import io.scalegate.spark.join.{JoinedPairs, PartitionsJoinTask, WindowJoinNode}
import io.scalegate.stream.Sides

/** A join over windows that count rows, of two inputs that come partitioned alike. */
trait PartitionsJoinNode extends WindowJoinNode {

  /** The work of a task. */
  protected def task: PartitionsJoinTask

  final protected def columns: Sides[Seq[Attribute]] = Sides(left.output, right.output)

  /** The order of the inputs, by the columns that have an order. */
  final protected def orderBy(window: RowWindowTerms): Seq[Seq[SortOrder]] =
    window.order(columns).toSeq.map(
      _.filter(e => RowOrdering.isOrderable(e.dataType)).map(SortOrder(_, Ascending))
    )

  override protected def pairs(opened: JoinedPairs => JoinedPairs): RDD[InternalRow] = {
    val work = task
    left.execute().zipPartitions(right.execute())((l, r) => opened(work.join(l, r)))
  }
}

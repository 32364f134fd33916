package io.scalegate.spark.join.operator

import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.util.CollectionAccumulator

import io.scalegate.spark.join.JoinedPairs
import io.scalegate.spark.settings.NamedOperator

/** A join by an operator of the papers, which tells the driver what its threads have done. */
trait OperatorNode extends PartitionsJoinNode {

  /** With the threads of each task. */
  def operator: NamedOperator

  @transient private[this] lazy val told: CollectionAccumulator[TaskWork] =
    sparkContext.collectionAccumulator[TaskWork]

  /** What its tasks that have ended did. A task that ran again is there once, as it told last. Driver only. */
  final def work: Seq[TaskWork] = {
    import scala.jdk.CollectionConverters._
    told.value.asScala.map(w => w.partition -> w).toMap.values.toSeq.sortBy(_.partition)
  }

  override protected def counters: Seq[(String, String)] = OperatorIterator.Counters

  override protected def task: OperatorTask

  override protected def pairs(opened: JoinedPairs => JoinedPairs): RDD[InternalRow] = {
    val (work, accumulator) = (task, told)
    left.execute().zipPartitions(right.execute()) { (l, r) =>
      val begun = System.nanoTime()
      val joined = work.join(l, r)
      // Before what closes the join is registered, so that it runs after that: the counts are exact then.
      TaskContext.get().addTaskCompletionListener[Unit] { context =>
        accumulator.add(joined.work(context.partitionId(), System.nanoTime() - begun))
      }
      opened(joined)
    }
  }
}

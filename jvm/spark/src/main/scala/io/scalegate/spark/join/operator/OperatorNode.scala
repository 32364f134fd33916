package io.scalegate.spark.join.operator

import org.apache.spark.TaskContext
import org.apache.spark.util.CollectionAccumulator

import io.scalegate.spark.join.{JoinedPairs, WindowJoinNode}
import io.scalegate.spark.settings.NamedOperator

/** A join by an operator of the papers, which tells the driver what its threads have done. */
trait OperatorNode extends WindowJoinNode {

  /** With the threads of each task. */
  def operator: NamedOperator

  @transient private[this] lazy val told: CollectionAccumulator[TaskWork] =
    sparkContext.collectionAccumulator[TaskWork]

  /** What its tasks that have ended did. A task that ran again is there once, as it told last. Driver only. */
  final def work: Seq[TaskWork] = {
    import scala.jdk.CollectionConverters._
    told.value.asScala.map(w => w.partition -> w).toMap.values.toSeq.sortBy(_.partition)
  }

  override protected def counters: Seq[(String, String)] = FedPairs.Counters

  /** What begins a task's join and gives it to `opened`: all that the task's closure takes of the node. */
  final protected def beginning(
      opened: JoinedPairs => JoinedPairs
  ): (() => FedPairs) => JoinedPairs = OperatorNode.beginning(told, opened)
}

private object OperatorNode {
  private def beginning(
      told: CollectionAccumulator[TaskWork],
      opened: JoinedPairs => JoinedPairs
  ): (() => FedPairs) => JoinedPairs = { join =>
    val begun = System.nanoTime()
    val joined = join()
    // Before what closes the join is registered, so that it runs after that: the counts are exact then.
    TaskContext.get().addTaskCompletionListener[Unit] { context =>
      told.add(joined.work(context.partitionId(), System.nanoTime() - begun))
    }
    opened(joined)
  }
}

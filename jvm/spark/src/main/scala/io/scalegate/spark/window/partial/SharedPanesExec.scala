package io.scalegate.spark.window.partial

import org.apache.spark.rdd.{PartitionCoalescer, PartitionGroup, RDD}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}

import io.scalegate.spark.plan.ParallelUnionExec
import io.scalegate.spark.settings.Cores

/** The partial results of a union's rows, before they are exchanged. A task takes a partition of each of several parts
  * and has one table for all of them: a key and a block that two of the parts have rows of are one row less to
  * exchange, and many small parts do not need a task each. As many tasks as run at once remain.
  *
  * Input contract: in each child's stage is a [[PartialPanesExec]] that shares its partial results, and all of them are
  * alike but for their rows.
  */
final case class SharedPanesExec(children: Seq[SparkPlan]) extends SparkPlan {
  override def nodeName: String = "Union"
  override def output: Seq[Attribute] = children.head.output

  override lazy val metrics: Map[String, SQLMetric] = Map(
    "numOutputRows" -> SQLMetrics.createMetric(sparkContext, "number of output rows"),
    "flushes" -> SQLMetrics.createMetric(sparkContext, "times that memory was full")
  )

  override protected def doExecute(): RDD[InternalRow] = {
    val rowsOut = longMetric("numOutputRows")
    val first = children.head.collectFirst { case partial: PartialPanesExec => partial }.get
    val (terms, id) = (first.partials(longMetric("flushes")), first.sharedId)
    val parts = ParallelUnionExec.execute(session, children)
    val tasks =
      SharedPanesExec.tasks(parts.map(_.getNumPartitions), Cores.tasksAtOnce)
    val rows = sparkContext.union(parts).coalesce(tasks, shuffle = false, Some(DealtPartitions))
    rows.mapPartitions { some =>
      val panes = terms.begin()
      SharedPanes.share(id, panes)
      val all = some ++ {
        panes.drain()
        panes
      }
      all.map { row =>
        rowsOut += 1
        row
      }
    }
  }

  override protected def withNewChildrenInternal(
      newChildren: IndexedSeq[SparkPlan]
  ): SharedPanesExec = copy(children = newChildren)
}

private[scalegate] object SharedPanesExec {

  /** How many tasks take the partitions of a union: as few as leave none of those that run at once without work, when
    * each takes one partition of a part at most.
    *
    * @param partitions
    *   of each part
    * @param parallelism
    *   how many tasks run at once
    */
  def tasks(partitions: Seq[Int], parallelism: Int): Int = {
    val rounds = (partitions.max + parallelism - 1) / parallelism
    math.max(1, math.min(partitions.sum, rounds * parallelism))
  }
}

/** Gives each task every n-th partition. */
private[scalegate] object DealtPartitions extends PartitionCoalescer with Serializable {
  override def coalesce(maxPartitions: Int, parent: RDD[_]): Array[PartitionGroup] = {
    val all = parent.partitions
    Array.tabulate(math.min(maxPartitions, all.length)) { i =>
      val dealt = (i until all.length by maxPartitions).map(all(_))
      val group =
        new PartitionGroup(dealt.iterator.flatMap(parent.preferredLocations(_)).nextOption())
      group.partitions ++= dealt
      group
    }
  }
}

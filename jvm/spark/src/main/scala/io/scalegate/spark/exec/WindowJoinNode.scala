package io.scalegate.spark.exec

import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  BasePredicate,
  Expression,
  Predicate,
  UnsafeProjection
}
import org.apache.spark.sql.execution.BinaryExecNode
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}

/** A task's joined pairs of rows, each valid until the next is asked for, and what it took to find them. */
trait JoinedPairs extends Iterator[InternalRow] with AutoCloseable {

  /** The values of the node's counters, in their order; read when the task ends. */
  def counts: Seq[Long]
}

/** What travels to the executors: joins two partitions. */
trait JoinTask extends Serializable {
  def join(left: Iterator[InternalRow], right: Iterator[InternalRow]): JoinedPairs

  /** The condition on rows of these columns, for one thread of the running task. */
  protected def predicate(condition: Expression, columns: Seq[Attribute]): BasePredicate = {
    val made = Predicate.create(condition, columns)
    made.initialize(TaskContext.getPartitionId())
    made
  }
}

/** What the physical nodes of window joins share: how they look, how they count, how pairs become rows. */
trait WindowJoinNode extends BinaryExecNode {

  /** What EXPLAIN says of the join, its parts separated by "; ". */
  def description: String

  /** Names of the metrics that a task's [[JoinedPairs.counts]] are added to, and what they say. */
  protected def counters: Seq[(String, String)]

  /** The work of a task. */
  protected def task: JoinTask

  override def nodeName: String = "WindowJoin"

  override lazy val metrics: Map[String, SQLMetric] =
    (("numOutputRows" -> "number of output rows") +: counters).map { case (name, says) =>
      name -> SQLMetrics.createMetric(sparkContext, says)
    }.toMap

  override protected def doExecute(): RDD[InternalRow] = {
    val rowsOut = longMetric("numOutputRows")
    val totals = counters.map { case (name, _) => longMetric(name) }
    val (work, in, out) = (task, left.output ++ right.output, output)
    left.execute().zipPartitions(right.execute()) { (l, r) =>
      val joined = work.join(l, r)
      TaskContext.get().addTaskCompletionListener[Unit] { _ =>
        joined.close()
        totals.zip(joined.counts).foreach { case (metric, count) => metric += count }
      }
      val project = UnsafeProjection.create(out, in)
      joined.map { pair =>
        rowsOut += 1
        project(pair)
      }
    }
  }

  override def simpleString(maxFields: Int): String = s"$nodeName Inner, $description"

  override def verboseStringWithOperatorId(): String =
    s"""
       |$formattedNodeName
       |${description.replace("; ", "\n")}
       |""".stripMargin
}

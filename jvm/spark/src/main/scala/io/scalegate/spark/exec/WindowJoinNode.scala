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

import io.scalegate.stream.Side

/** A task's joined pairs of rows, each valid until the next is asked for, and what it took to find them. */
trait JoinedPairs extends Iterator[InternalRow] with AutoCloseable {

  /** The values of the node's counters, in their order; read when the task ends. */
  def counts: Seq[Long]
}

/** What travels to the executors: joins what a task reads. */
trait JoinTask extends Serializable {

  /** The condition on rows of these columns, for one thread of the running task. */
  protected def predicate(condition: Expression, columns: Seq[Attribute]): BasePredicate = {
    val made = Predicate.create(condition, columns)
    made.initialize(TaskContext.getPartitionId())
    made
  }

  /** The condition, if there is one, as a test of pairs in the running task. */
  protected def accepts(
      condition: Option[Expression],
      columns: Seq[Attribute]
  ): InternalRow => Boolean =
    condition match {
      case None => _ => true
      case Some(c) =>
        val holds = predicate(c, columns)
        row => holds.eval(row)
    }
}

/** Joins two partitions. */
trait PartitionsJoinTask extends JoinTask {
  def join(left: Iterator[InternalRow], right: Iterator[InternalRow]): JoinedPairs
}

/** Turns a task's pairs into the join's output rows; their counts are added up when the task ends. */
final private class PairsOutput(
    output: Seq[Attribute],
    joined: Seq[Attribute],
    rowsOut: SQLMetric,
    totals: Seq[SQLMetric]
) extends Serializable {
  def apply(pairs: JoinedPairs): Iterator[InternalRow] = {
    TaskContext.get().addTaskCompletionListener[Unit] { _ =>
      pairs.close()
      totals.zip(pairs.counts).foreach { case (metric, count) => metric += count }
    }
    val project = UnsafeProjection.create(output, joined)
    pairs.map { pair =>
      rowsOut += 1
      project(pair)
    }
  }
}

/** What the physical nodes of window joins share: how they look, how they count, how pairs become rows. */
trait WindowJoinNode extends BinaryExecNode {

  /** What is given for each row of which side. */
  def probing: Probing

  /** What EXPLAIN says of the join, its parts separated by "; ". */
  def description: String

  /** Names of the metrics that a task's [[JoinedPairs.counts]] are added to, and what they say. */
  protected def counters: Seq[(String, String)]

  /** The columns of a pair. */
  protected def joined: Seq[Attribute] = left.output ++ right.output

  /** The columns of a pair, whose searched row may be missing. */
  private[this] def pairColumns: Seq[Attribute] = {
    val probes = (if (probing.side eq Side.R) left else right).outputSet
    joined.map(a => if (probing.unmatched && !probes.contains(a)) a.withNullability(true) else a)
  }

  /** The pairs of each task, given to `output`, which must be all that a task's closure takes of the node. */
  protected def pairs(output: JoinedPairs => Iterator[InternalRow]): RDD[InternalRow]

  override def nodeName: String = "WindowJoin"

  override lazy val metrics: Map[String, SQLMetric] =
    (("numOutputRows" -> "number of output rows") +: counters).map { case (name, says) =>
      name -> SQLMetrics.createMetric(sparkContext, says)
    }.toMap

  override protected def doExecute(): RDD[InternalRow] = {
    val totals = counters.map { case (name, _) => longMetric(name) }
    val rows =
      new PairsOutput(output, pairColumns, longMetric("numOutputRows"), totals)
    pairs(rows(_))
  }

  override def simpleString(maxFields: Int): String = s"$nodeName ${probing.name}, $description"

  override def verboseStringWithOperatorId(): String =
    s"""
       |$formattedNodeName
       |${probing.name}
       |${description.replace("; ", "\n")}
       |""".stripMargin
}

/** A window join of two inputs that come partitioned alike. */
trait PartitionsJoinNode extends WindowJoinNode {

  /** The work of a task. */
  protected def task: PartitionsJoinTask

  override protected def pairs(output: JoinedPairs => Iterator[InternalRow]): RDD[InternalRow] = {
    val work = task
    left.execute().zipPartitions(right.execute())((l, r) => output(work.join(l, r)))
  }
}

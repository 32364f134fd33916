package io.scalegate.spark.exec

import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  BasePredicate,
  Expression,
  JoinedRow,
  Predicate
}
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.BinaryExecNode
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}

/** A task's joined pairs of rows, each valid until the next is asked for, and what it took to find them. */
trait JoinedPairs extends Iterator[JoinedRow] with AutoCloseable {

  /** The values of the node's counters, in their order; read when the task ends. Those left out are zero, and
    * those that the node has no counter for are passed over.
    */
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
  ): Option[BasePredicate] = condition.map(predicate(_, columns))
}

/** Joins two partitions. */
trait PartitionsJoinTask extends JoinTask {
  def join(left: Iterator[InternalRow], right: Iterator[InternalRow]): JoinedPairs
}

/** Counts a task's pairs, and adds its counts up when it ends. */
final private class CountedPairs(pairs: JoinedPairs, rowsOut: SQLMetric, totals: Seq[SQLMetric])
    extends Iterator[JoinedRow] {
  private[this] var count = 0L

  TaskContext.get().addTaskCompletionListener[Unit] { _ =>
    pairs.close()
    rowsOut += count
    totals.zip(pairs.counts).foreach { case (metric, n) => metric += n }
  }

  def hasNext: Boolean = pairs.hasNext

  def next(): JoinedRow = {
    count += 1
    pairs.next()
  }
}

/** What the physical nodes of window joins share: how they look, and how they count. Their rows are pairs of
  * rows, each valid until the next is asked for and not in Spark's binary form: a [[WindowJoinOutputExec]]
  * above makes rows of them.
  */
trait WindowJoinNode extends BinaryExecNode {

  /** What is given for each row of which side. */
  def probing: Probing

  /** What EXPLAIN says of the join, its parts separated by "; ". */
  def description: String

  /** Names of the metrics that a task's [[JoinedPairs.counts]] are added to, and what they say. */
  protected def counters: Seq[(String, String)]

  /** The columns of the left row of a pair, and of the right row. */
  protected def joined: (Seq[Attribute], Seq[Attribute]) = (left.output, right.output)

  /** The rows that an operator above reads.
    *
    * @param columns
    *   those that it has of a pair's
    */
  def rows(columns: Seq[Attribute]): WindowJoinOutputExec =
    WindowJoinOutputExec(columns, joined._1.length, this)

  /** The columns of a pair, where a row may be missing. */
  final override def output: Seq[Attribute] = probing.columns(joined._1, joined._2)

  /** The pairs of each task, given to `counted`, which must be all that a task's closure takes of the node. */
  protected def pairs(counted: JoinedPairs => Iterator[InternalRow]): RDD[InternalRow]

  override def nodeName: String = "WindowJoin"

  override lazy val metrics: Map[String, SQLMetric] =
    (("numOutputRows" -> "number of output rows") +: counters).map { case (name, says) =>
      name -> SQLMetrics.createMetric(sparkContext, says)
    }.toMap

  override protected def doExecute(): RDD[InternalRow] = {
    val rowsOut = longMetric("numOutputRows")
    val totals = counters.map { case (name, _) => longMetric(name) }
    pairs(new CountedPairs(_, rowsOut, totals))
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

  /** Where the output lies if the inputs lie by their keys. */
  final protected def partitioningByKeys: Partitioning =
    probing.partitioning(left.outputPartitioning, right.outputPartitioning)

  override protected def pairs(counted: JoinedPairs => Iterator[InternalRow])
      : RDD[InternalRow] = {
    val work = task
    left.execute().zipPartitions(right.execute())((l, r) => counted(work.join(l, r)))
  }
}

package io.scalegate.spark.exec

import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  BasePredicate,
  Expression,
  JoinedRow,
  Predicate,
  UnsafeRow
}
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.execution.{BinaryExecNode, SparkPlan}

import io.scalegate.stream.Side

/** A task's joined pairs of rows, and what it took to find them. They can be read one by one, or each row of the
  * side that probes once and then what was found for it, but not in turns.
  *
  * @param probing
  *   which of a pair's rows is the one that probes
  */
abstract class JoinedPairs(probing: Side) extends Iterator[JoinedRow] with AutoCloseable {
  private[this] val pair = new JoinedRow
  private[this] var ready = false
  private[this] var count = 0L

  /** The values of the node's counters, in their order; read when the task ends. Those left out are zero, and
    * those that the node has no counter for are passed over.
    */
  def counts: Seq[Long]

  /** Whether there is a row that probes; moves to the next if there are no more matches of the last one. */
  def atProbe(): Boolean

  /** That row; valid until [[atProbe]] is called. */
  def probe: InternalRow

  /** Moves to its next match, if there is one. */
  final def nextMatch(): Boolean = {
    val more = moveToMatch()
    if (more) count += 1
    more
  }

  /** What [[nextMatch]] does besides counting. */
  protected def moveToMatch(): Boolean

  /** The row of the match; valid until the next. */
  def found: UnsafeRow

  /** In what that row lies, for those who read it there. */
  def foundBase: AnyRef = found.getBaseObject

  /** Where in it. */
  def foundOffset: Long = found.getBaseOffset

  /** How many matches there were so far. */
  final def matches: Long = count

  /** The pair that [[next]] gives is valid until the next call of [[hasNext]]. */
  final def hasNext: Boolean = {
    while (!ready && atProbe()) ready = nextMatch()
    ready
  }

  final def next(): JoinedRow = {
    if (!hasNext) throw new NoSuchElementException("the join has no more rows")
    ready = false
    if (probing eq Side.R) pair(probe, found) else pair(found, probe)
  }
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
    WindowJoinOutputExec(columns, joined._1.length, this, Some(probing.side))

  /** The columns of a pair, where a row may be missing. */
  final override def output: Seq[Attribute] = probing.columns(joined._1, joined._2)

  /** The pairs of each task, given to `opened`, which must be all that a task's closure takes of the node. */
  protected def pairs(opened: JoinedPairs => JoinedPairs): RDD[InternalRow]

  override def nodeName: String = "WindowJoin"

  override lazy val metrics: Map[String, SQLMetric] =
    (("numOutputRows" -> "number of output rows") +: counters).map { case (name, says) =>
      name -> SQLMetrics.createMetric(sparkContext, says)
    }.toMap

  override protected def doExecute(): RDD[InternalRow] = {
    val rowsOut = longMetric("numOutputRows")
    val totals = counters.map { case (name, _) => longMetric(name) }
    pairs(WindowJoinNode.countedAtEnd(_, rowsOut, totals))
  }

  override def simpleString(maxFields: Int): String = s"$nodeName ${probing.name}, $description"

  override def verboseStringWithOperatorId(): String =
    s"""
       |$formattedNodeName
       |${probing.name}
       |${description.replace("; ", "\n")}
       |""".stripMargin
}

private object WindowJoinNode {

  /** Adds a task's counts up, and closes it, when it ends. */
  def countedAtEnd(
      pairs: JoinedPairs,
      rowsOut: SQLMetric,
      totals: Seq[SQLMetric]
  ): JoinedPairs = {
    TaskContext.get().addTaskCompletionListener[Unit] { _ =>
      pairs.close()
      rowsOut += pairs.matches
      totals.zip(pairs.counts).foreach { case (metric, n) => metric += n }
    }
    pairs
  }
}

/** A window join of two inputs that come partitioned alike. */
trait PartitionsJoinNode extends WindowJoinNode {

  /** The work of a task. */
  protected def task: PartitionsJoinTask

  /** Where the output lies if the inputs lie by their keys. */
  final protected def partitioningByKeys: Partitioning =
    probing.partitioning(left.outputPartitioning, right.outputPartitioning)

  override protected def pairs(opened: JoinedPairs => JoinedPairs): RDD[InternalRow] = {
    val work = task
    left.execute().zipPartitions(right.execute())((l, r) => opened(work.join(l, r)))
  }
}

/** A join of partitions that lie by keys or cells, which adaptive execution may cut into parts where they are skewed. */
trait SkewAwareJoinNode extends PartitionsJoinNode {

  /** Whether they have been cut, see [[inParts]]. */
  def isCut: Boolean

  /** Whether they may be: the inputs' exchanges are adaptive execution's own. */
  def mayBeCut: Boolean

  /** The same join of inputs whose partitions are parts of those by the keys: each pair of rows that match still meets
    * in one task, and no row is decided in two.
    */
  def inParts(left: SparkPlan, right: SparkPlan): SkewAwareJoinNode

  override def nodeName: String = if (isCut) s"${super.nodeName}(skew=true)" else super.nodeName
}

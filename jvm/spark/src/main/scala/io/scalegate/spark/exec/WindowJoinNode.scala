package io.scalegate.spark.exec

import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Ascending,
  Attribute,
  BasePredicate,
  Expression,
  JoinedRow,
  RowOrdering,
  SortOrder,
  UnsafeRow
}
import org.apache.spark.sql.execution.BinaryExecNode
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}

import io.scalegate.stream.{Side, Sides}

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

/** Pairs that are not grouped by their probe rows: each has its probe row anew. */
abstract class UngroupedPairs(probing: Side) extends JoinedPairs(probing) {
  private[this] var probeRow: UnsafeRow = _
  private[this] var foundRow: UnsafeRow = _
  private[this] var ready = false

  /** Looks for the next pair until one is given, or there are no more. */
  protected def seek(): Unit

  /** Whether a pair is given that was not taken yet. */
  final protected def isGiven: Boolean = ready

  final protected def give(probe: UnsafeRow, found: UnsafeRow): Unit = {
    ready = true
    probeRow = probe
    foundRow = found
  }

  /** Likewise, by the sides of the rows. */
  final protected def giveSides(left: UnsafeRow, right: UnsafeRow): Unit =
    if (probing eq Side.R) give(left, right) else give(right, left)

  final def atProbe(): Boolean = {
    if (!ready) seek()
    ready
  }

  final def probe: InternalRow = probeRow

  final def found: UnsafeRow = foundRow

  final protected def moveToMatch(): Boolean = {
    val more = ready
    ready = false
    more
  }
}

/** What travels to the executors: joins what a task reads. */
trait JoinTask extends Serializable {

  /** The condition, if there is one, as a test of pairs in the running task. */
  protected def accepts(
      condition: Option[Expression],
      columns: Seq[Attribute]
  ): Option[BasePredicate] = condition.map(PairTest.predicate(_, Sides(columns, Nil)))
}

/** Joins two partitions. */
trait PartitionsJoinTask extends Serializable {
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
  protected def joined: Sides[Seq[Attribute]] = Sides(left.output, right.output)

  /** The rows that an operator above reads.
    *
    * @param columns
    *   those that it has of a pair's
    */
  def rows(columns: Seq[Attribute]): WindowJoinOutputExec =
    WindowJoinOutputExec(columns, joined.left.length, this, Some(probing.side))

  /** The columns of a pair, where a row may be missing. */
  final override def output: Seq[Attribute] = probing.columns(joined)

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

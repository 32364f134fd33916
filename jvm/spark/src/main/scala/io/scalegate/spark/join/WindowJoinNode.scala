package io.scalegate.spark.join

import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}

import io.scalegate.stream.Sides

/** What the physical nodes of window joins share: how they look, and how they count. Their rows are pairs of
  * rows, each valid until the next is asked for and not in Spark's binary form: a [[WindowJoinOutputExec]]
  * above makes rows of them.
  */
trait WindowJoinNode extends SparkPlan {

  /** What is given for each row of which side. */
  def probing: Probing

  /** What EXPLAIN says of the join, its parts separated by "; ". */
  def description: String

  /** Names of the metrics that a task's [[JoinedPairs.counts]] are added to, and what they say. */
  protected def counters: Seq[(String, String)]

  /** The columns of the left row of a pair, and of the right row. */
  protected def joined: Sides[Seq[Attribute]]

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
    (("numOutputRows" -> "number of output rows") +: counters).map { case (name, meaning) =>
      name -> SQLMetrics.createMetric(sparkContext, meaning)
    }.toMap + ("rowsOfTask" -> SQLMetrics.createAverageMetric(sparkContext, "rows of a task"))

  override protected def doExecute(): RDD[InternalRow] = {
    val rowsOut = longMetric("numOutputRows")
    val rowsOfTask = longMetric("rowsOfTask")
    val totals = counters.map { case (name, _) => longMetric(name) }
    pairs(WindowJoinNode.countedAtEnd(_, rowsOut, rowsOfTask, totals))
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
      rowsOfTask: SQLMetric,
      totals: Seq[SQLMetric]
  ): JoinedPairs = {
    TaskContext.get().addTaskCompletionListener[Unit] { _ =>
      pairs.close()
      rowsOut += pairs.matches
      rowsOfTask.set(pairs.matches.toDouble)
      totals.zip(pairs.counts).foreach { case (metric, n) => metric += n }
    }
    pairs
  }
}

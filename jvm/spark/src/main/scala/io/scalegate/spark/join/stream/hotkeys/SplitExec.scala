package io.scalegate.spark.join.stream.hotkeys

import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  AttributeReference,
  Cast,
  CollationAwareMurmur3Hash,
  Expression,
  UnsafeProjection,
  UnsafeRow
}
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.scalegate.TaskAccess
import org.apache.spark.sql.types.LongType

import io.scalegate.stream.Side

/** Gives each row of a streaming join's input the cell that it is joined in: a column more, by which the rows are then
  * exchanged, and which the join takes off again. A cell stands for a partition. A row goes to the one that Spark's
  * exchange by the keys would bring it to, unless its key is hot.
  *
  * @param keys
  *   of the input's side of the join
  * @param eventTime
  *   of the input, in microseconds
  * @param cell
  *   the column that is added, BIGINT, never NULL
  */
final case class SplitExec(
    keys: Seq[Expression],
    eventTime: Attribute,
    side: Side,
    splitting: HotKeySplitting,
    cell: Attribute,
    child: SparkPlan
) extends UnaryExecNode {
  override def nodeName: String = "WindowJoinSplit"
  override def output: Seq[Attribute] = child.output :+ cell

  override lazy val metrics: Map[String, SQLMetric] = Map(
    "numOutputRows" -> SQLMetrics.createMetric(sparkContext, "number of output rows"),
    "copiedRows" -> SQLMetrics.createMetric(sparkContext, "rows copied for hot keys")
  )

  override protected def doExecute(): RDD[InternalRow] = {
    val batch = splitting.current
    val (router, late, counts) = (batch.router(side), batch.late, batch.counts(side))
    val (rowsOut, copies) = (longMetric("numOutputRows"), longMetric("copiedRows"))
    val hash: Expression = new CollationAwareMurmur3Hash(keys)
    val (columns, wanted) = (child.output, child.output :+ Cast(hash, LongType))
    val time = child.output.indexWhere(_.exprId == eventTime.exprId)
    child.execute().mapPartitions { rows =>
      val keyed = UnsafeProjection.create(wanted, columns)
      val splitter = new RowSplitter(router, columns.length, time, late)
      TaskContext.get().addTaskCompletionListener[Unit] { _ =>
        counts.add(splitter.counts)
        rowsOut += splitter.sent
        copies += splitter.sent - splitter.taken
      }
      rows.flatMap { row =>
        splitter.read(keyed(row))
        splitter
      }
    }
  }

  override protected def withNewChildInternal(newChild: SparkPlan): SparkPlan =
    copy(child = newChild)

  override def simpleString(maxFields: Int): String =
    s"$nodeName ${keys.map(_.sql).mkString("[", ", ", "]")}, hot keys shared, as $cell"
}

object SplitExec {
  def apply(
      keys: Seq[Expression],
      eventTime: Attribute,
      side: Side,
      splitting: HotKeySplitting,
      input: SparkPlan
  ): SplitExec = {
    val cell = AttributeReference("cell", LongType, nullable = false)()
    SplitExec(
      keys.map(TaskAccess.normalized),
      eventTime,
      side,
      splitting,
      cell,
      input
    )
  }
}

/** The copies of the row last read, one for each partition that it goes to, each valid until the next is asked for. One
  * thread.
  *
  * @param time
  *   the column of the event time
  */
final private[scalegate] class RowSplitter(
    router: KeyRouter,
    cellColumn: Int,
    time: Int,
    late: Long
) extends Iterator[UnsafeRow] {
  private[this] val counter = new KeyCounter
  private[this] var row: UnsafeRow = _
  private[this] var cell = 0L
  private[this] var cells: Array[Long] = _ // null: the one cell alone
  private[this] var at = 0
  private[this] var end = 0

  /** Rows that were read, and rows that came of them. */
  var taken = 0L
  var sent = 0L

  def counts: FrequentKeys = counter.result

  /** @param next
    *   with its key's hash where the cell is to be
    */
  def read(next: UnsafeRow): Unit = {
    val key = next.getLong(cellColumn).toInt
    counter.count(key)
    row = next
    taken += 1
    cells = null
    at = 0
    end = 1
    val number = router.find(key)
    if (number < 0 || isLate(next)) cell = router.home(key)
    else {
      val all = router.cellsOf(number)
      if (router.isSingle) cell = all(Math.floorMod(next.hashCode, all.length))
      else {
        cells = all
        end = all.length
      }
    }
    sent += end
  }

  def hasNext: Boolean = at < end

  def next(): UnsafeRow = {
    row.setLong(cellColumn, if (cells == null) cell else cells(at))
    at += 1
    row
  }

  private[this] def isLate(row: UnsafeRow): Boolean =
    !row.isNullAt(time) && row.getLong(time) <= late
}

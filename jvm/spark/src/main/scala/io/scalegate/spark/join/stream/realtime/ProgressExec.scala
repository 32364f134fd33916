package io.scalegate.spark.join.stream.realtime

import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  AttributeReference,
  Cast,
  CollationAwareMurmur3Hash,
  Expression,
  Literal,
  UnsafeProjection,
  UnsafeRow
}
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.scalegate.TaskAccess
import org.apache.spark.sql.types.LongType

import io.scalegate.spark.rows.{PartitionIds, UnsafeRows}

/** Says with each row of an input of a join in Real-Time Mode which task it comes of, and tells every task of the join how
  * far this one has come: the sources of a gate are the tasks that read, and a gate is ready up to what all of them have
  * promised (ScaleJoin §IV-A). A promise is a row whose columns are NULL, but for the event time. It follows a row as
  * soon as that raises what this task promises, but at most every [[ProgressRows.PauseNanos]].
  *
  * @param keys
  *   by which rows go to the join's tasks, as Spark's exchange would send them
  * @param partitions
  *   of the join
  * @param eventTime
  *   of the input, in microseconds
  * @param delay
  *   how far rows of a task may come out of order, in microseconds
  * @param cell
  *   the column by which the rows are exchanged, BIGINT, never NULL
  * @param source
  *   the column that says what a row comes of, BIGINT, never NULL: see [[ProgressExec.sourceOf]]
  * @param readAt
  *   the column that says when a row was read, in microseconds since the epoch, BIGINT, NULL for a promise
  */
final case class ProgressExec(
    keys: Seq[Expression],
    partitions: Int,
    eventTime: Attribute,
    delay: Long,
    cell: Attribute,
    source: Attribute,
    readAt: Attribute,
    child: SparkPlan
) extends UnaryExecNode {
  override def nodeName: String = "WindowJoinProgress"
  override def output: Seq[Attribute] = child.output :+ cell :+ source :+ readAt

  override protected def doExecute(): RDD[InternalRow] = {
    val (columns, rows) = (child.output, child.execute())
    val sources = rows.getNumPartitions
    val hash: Expression =
      if (keys.isEmpty) Literal(0L) else Cast(new CollationAwareMurmur3Hash(keys), LongType)
    val wanted = columns :+ hash :+ Literal(0L) :+ Literal(0L)
    val time = columns.indexWhere(_.exprId == eventTime.exprId)
    val (joinPartitions, outOfOrder) = (partitions, delay)
    rows.mapPartitions { rows =>
      val keyed = UnsafeProjection.create(wanted, columns)
      new ProgressRows(
        rows.map(keyed(_)),
        columns.length,
        time,
        outOfOrder,
        joinPartitions,
        ProgressExec.sourceOf(TaskContext.getPartitionId(), sources)
      )
    }
  }

  override protected def withNewChildInternal(newChild: SparkPlan): SparkPlan =
    copy(child = newChild)

  override def simpleString(maxFields: Int): String =
    s"$nodeName ${keys.map(_.sql).mkString("[", ", ", "]")} to $partitions tasks"
}

private[scalegate] object ProgressExec {
  def apply(
      keys: Seq[Expression],
      partitions: Int,
      eventTime: Attribute,
      input: SparkPlan
  ): ProgressExec = ProgressExec(
    keys.map(TaskAccess.normalized),
    partitions,
    eventTime,
    RealTimeTerms.delayOf(eventTime),
    AttributeReference("cell", LongType, nullable = false)(),
    AttributeReference("source", LongType, nullable = false)(),
    AttributeReference("readAt", LongType)(),
    input
  )

  /** What a row says of the task that it comes of: its number, and how many there are. */
  def sourceOf(number: Int, sources: Int): Long = (sources.toLong << 32) | number

  def numberOf(source: Long): Int = source.toInt & Int.MaxValue
  def sourcesOf(source: Long): Int = (source >>> 32).toInt

  /** The same of a promise, which is no row of the input. */
  def promiseOf(source: Long): Long = source | PromiseBit
  def isPromise(source: Long): Boolean = (source & PromiseBit) != 0

  private[this] val PromiseBit = 1L << 31
}

/** The rows of a task with its promises. Each is valid until the next is asked for. One thread.
  *
  * @param rows
  *   with the hash of their keys and two columns more
  * @param columns
  *   without these three
  */
final private[scalegate] class ProgressRows(
    rows: Iterator[UnsafeRow],
    columns: Int,
    time: Int,
    delay: Long,
    partitions: Int,
    source: Long
) extends Iterator[UnsafeRow] {
  import ProgressRows._

  private[this] val cells = PartitionIds.all(partitions)
  private[this] val promise = {
    val row = UnsafeRows.ofNulls(columns + RealTimeTerms.Columns)
    row.setLong(columns + 1, ProgressExec.promiseOf(source))
    row
  }
  private[this] var latest = Long.MinValue
  private[this] var promised = Long.MinValue
  private[this] var promisedAt = System.nanoTime
  private[this] var to =
    0 // the partition that the promise goes to next: at the start it goes to all
  promise.setLong(time, promised)

  private[this] var hasMore =
    true // rows; who is asked again after the end may have some that came since

  def hasNext: Boolean = to < partitions || {
    hasMore = hasMore && rows.hasNext
    hasMore || isLeft
  }

  def next(): UnsafeRow =
    if (to < partitions) nextPromise()
    else {
      val row = rows.next()
      val cell = row.getLong(columns)
      row.setLong(columns, cells(Math.floorMod(cell.toInt, partitions)))
      row.setLong(columns + 1, source)
      row.setLong(columns + 2, TaskMeter.now)
      if (!row.isNullAt(time)) see(row.getLong(time))
      row
    }

  private[this] def nextPromise(): UnsafeRow = {
    promise.setLong(columns, cells(to))
    to += 1
    promise
  }

  private[this] def see(eventTime: Long): Unit = {
    latest = math.max(latest, eventTime)
    val now = System.nanoTime
    if (bound > promised && now - promisedAt >= PauseNanos) make(now)
  }

  private[this] def make(now: Long): Unit = {
    promised = bound
    promisedAt = now
    promise.setLong(time, promised)
    to = 0
  }

  private[this] def bound = RealTimeTerms.promised(latest, delay)

  /** At the end what was not promised yet is. */
  private[this] def isLeft: Boolean = {
    val left = bound > promised
    if (left) make(promisedAt)
    left
  }
}

private[scalegate] object ProgressRows {

  /** Between two promises: a task of many partitions would send more promises than rows otherwise. */
  val PauseNanos = 5000000L
}

package io.scalegate.spark.join.stream.realtime

import java.util.ArrayDeque
import java.util.concurrent.{ArrayBlockingQueue, TimeUnit}

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
import io.scalegate.stream.{IdleStrategy, Lifecycle, Work, Workers}

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
  * @param prompt
  *   whether results wait for promises, which then do not wait for rows: see [[ProgressRows]]
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
    prompt: Boolean,
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
    val (joinPartitions, outOfOrder, isPrompt) = (partitions, delay, prompt)
    rows.mapPartitions { rows =>
      val keyed = UnsafeProjection.create(wanted, columns)
      val told = new ProgressRows(
        rows.map(keyed(_)),
        columns.length,
        time,
        outOfOrder,
        joinPartitions,
        ProgressExec.sourceOf(TaskContext.getPartitionId(), sources),
        Option.when(isPrompt)(TaskContext.get())
      )
      TaskContext.get().addTaskCompletionListener[Unit](_ => told.close())
      told
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
      prompt: Boolean,
      input: SparkPlan
  ): ProgressExec = ProgressExec(
    keys.map(TaskAccess.normalized),
    partitions,
    eventTime,
    RealTimeTerms.delayOf(eventTime),
    prompt,
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

/** The rows of a task with its promises. Each is valid until the next is asked for.
  *
  * Reading blocks for as long as no row comes. Where results wait for promises, a thread of its own reads, so that what
  * the last row of a burst promises does not wait for the next one; where they do not, a row spares the way from thread to
  * thread. The methods are for one thread, the task's.
  *
  * Progress: that thread waits where [[ProgressRows.Room]] rows wait for the task's thread; that waits for a row, or until it
  * is time for a promise. Memory order: that of the JDK's queue.
  *
  * @param rows
  *   with the hash of their keys and two columns more
  * @param columns
  *   without these three
  * @param prompt
  *   the task, where a thread of its own is to read
  */
final private[scalegate] class ProgressRows(
    rows: Iterator[UnsafeRow],
    columns: Int,
    time: Int,
    delay: Long,
    partitions: Int,
    source: Long,
    prompt: Option[TaskContext]
) extends Iterator[UnsafeRow]
    with AutoCloseable {
  import ProgressRows._

  private[this] val cells = PartitionIds.all(partitions)
  private[this] val promise = {
    val row = UnsafeRows.ofNulls(columns + RealTimeTerms.Columns)
    row.setLong(columns + 1, ProgressExec.promiseOf(source))
    row
  }
  private[this] val queue = prompt.map(_ => new ArrayBlockingQueue[AnyRef](Room)).orNull
  private[this] val ending = new Lifecycle("input of a join")
  private[this] val workers = new Workers(ending, () => new IdleStrategy.Backoff())

  private[this] var latest = Long.MinValue
  private[this] var promised = Long.MinValue
  private[this] var promisedAt = System.nanoTime
  // The partition that the promise goes to next: at the start it goes to all.
  private[this] var to = 0
  private[this] val taken = new ArrayDeque[AnyRef]
  private[this] var row: UnsafeRow = _
  private[this] var hasEnded = false

  promise.setLong(time, promised)
  prompt.foreach(context => workers.start(Seq(new Reading(context))))

  def hasNext: Boolean = {
    while (to == partitions && row == null && !isThrough) look()
    to < partitions || row != null
  }

  def next(): UnsafeRow = {
    if (!hasNext) throw new NoSuchElementException
    if (to < partitions) nextPromise() else nextRow()
  }

  def close(): Unit = workers.stop()

  private[this] def isThrough = hasEnded && taken.isEmpty && bound <= promised

  private[this] def nextRow(): UnsafeRow = {
    val found = row
    row = null
    val cell = found.getLong(columns)
    found.setLong(columns, cells(Math.floorMod(cell.toInt, partitions)))
    found.setLong(columns + 1, source)
    found.setLong(columns + 2, TaskMeter.now)
    if (!found.isNullAt(time)) latest = math.max(latest, found.getLong(time))
    found
  }

  private[this] def nextPromise(): UnsafeRow = {
    promise.setLong(columns, cells(to))
    to += 1
    promise
  }

  /** Makes a promise if it is time for one, and takes a row if one has come by then. */
  private[this] def look(): Unit = {
    val now = System.nanoTime
    val left = if (bound > promised) PauseNanos - (now - promisedAt) else LookNanos
    if (left <= 0 || hasEnded && taken.isEmpty) make(now)
    else if (prompt.isEmpty) read()
    else {
      if (taken.isEmpty) await(left)
      taken.poll() match {
        case came: UnsafeRow => row = came
        case null => ()
        case _ => hasEnded = true
      }
    }
  }

  private[this] def read(): Unit = if (rows.hasNext) row = rows.next() else hasEnded = true

  private[this] def await(nanos: Long): Unit = {
    if (queue.drainTo(taken) == 0) {
      val first = queue.poll(nanos, TimeUnit.NANOSECONDS)
      if (first != null) taken.add(first)
    }
    if (taken.isEmpty) {
      ending.throwIfStopped()
      prompt.foreach(TaskAccess.stopIfKilled)
    }
  }

  private[this] def make(now: Long): Unit = {
    promised = bound
    promisedAt = now
    promise.setLong(time, promised)
    to = 0
  }

  private[this] def bound = RealTimeTerms.promised(latest, delay)

  final private[this] class Reading(context: TaskContext)
      extends Work("scalegate-real-time-input") {
    private[this] var hasMore = true

    override def prepare(): Unit = TaskAccess.enter(context)

    def step(): Boolean = {
      hasMore = rows.hasNext
      if (hasMore) queue.put(rows.next().copy())
      true
    }

    def isFinished: Boolean = !hasMore

    override def finish(): Unit = queue.put(End)

    override def end(): Unit = TaskAccess.leave()
  }
}

private[scalegate] object ProgressRows {

  /** Between two promises: a task of many partitions would send more promises than rows otherwise. */
  val PauseNanos = 5000000L

  /** After so long without a row it looks whether the task was killed, or the reader has failed. */
  private val LookNanos = 50000000L

  /** Rows that may wait to be sent. */
  private val Room = 8192

  /** That the input has ended. */
  private object End
}

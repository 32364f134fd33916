package io.scalegate.spark.window.stream.realtime

import java.util.ArrayDeque

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Cast,
  CollationAwareMurmur3Hash,
  Expression,
  JoinedRow,
  Literal,
  SpecificInternalRow,
  UnsafeProjection,
  UnsafeRow
}
import org.apache.spark.sql.scalegate.TaskAccess
import org.apache.spark.sql.types.LongType

import io.scalegate.spark.join.stream.realtime.{ProgressExec, RealTimeTerms, TaskMeter}
import io.scalegate.spark.rows.{PartitionIds, UnsafeRows}
import io.scalegate.spark.window.partial.{ObjectAggregation, PaneUpdates, PartialPanes}
import io.scalegate.stream.{IdleStrategy, Lifecycle, Work, Workers}

/** What a task that reads a source of an aggregate in Real-Time Mode sends: the partial results of the rows that came
  * since it last sent some, and then what it promises. The first row after a pause is sent at once; while rows come, those
  * of [[LivePartials.PauseNanos]] are sent together. So a partial result is late by no more than that, also when no row
  * comes after it, and a task that receives them has less to do the more rows there are.
  *
  * The rows are read by a thread of its own, since reading blocks for as long as none comes. It adds to one of two
  * buffers; the task's thread takes that and leaves the other.
  *
  * Progress: the reader waits where its buffer is full until the task's thread has taken it, and the task's thread for a
  * row, until the pause is over, or for [[LivePartials.HeartbeatNanos]] at most. Memory order: what both threads share is
  * read and written under `lock`; a buffer that was taken is the task's thread's alone until it is given back, empty.
  */
final private[realtime] class LivePartials(
    partition: Int,
    rows: Iterator[InternalRow],
    task: LivePartialsTask,
    context: TaskContext
) extends Iterator[UnsafeRow] {
  import LivePartials._

  private[this] val source = ProgressExec.sourceOf(partition, task.sources)
  private[this] val ending = new Lifecycle("window aggregate")
  private[this] val workers = new Workers(ending, () => new IdleStrategy.Backoff())

  private[this] val lock = new Object
  private[this] var filling, other = newBuffer()
  private[this] var added = 0L // rows in `filling`
  private[this] var latest = Long.MinValue // event time
  private[this] var latestReadAt = 0L
  private[this] var heardAt = 0L // if a row has come
  private[this] var isHeard = false
  private[this] var isInputOver = false

  private[this] val columns = task.keys.size + task.values.size
  private[this] val cells = PartitionIds.all(task.partitions)
  private[this] val hashOf = {
    val keys = task.keys.map(_.toAttribute)
    val hash: Expression =
      if (keys.isEmpty) Literal(0L) else Cast(new CollationAwareMurmur3Hash(keys), LongType)
    UnsafeProjection.create(Seq(hash), keys ++ task.values)
  }
  private[this] val told = new SpecificInternalRow(Seq.fill(LivePartialsExec.Columns)(LongType))
  private[this] val joined = new JoinedRow
  private[this] val rowOf = UnsafeProjection.create(
    ((task.keys ++ task.values).map(_.dataType) ++ Seq.fill(LivePartialsExec.Columns)(LongType)).toArray
  )
  private[this] val promise = {
    val row = UnsafeRows.ofNulls(columns + LivePartialsExec.Columns)
    row.setLong(columns + LivePartialsExec.sourceAt, ProgressExec.promiseOf(source))
    row
  }
  Seq(LivePartialsExec.promisedAt, LivePartialsExec.readAtAt, LivePartialsExec.silentAt)
    .foreach(told.setNullAt)
  told.setLong(LivePartialsExec.sourceAt, source)

  private[this] var taken: PartialsBuffer = _ // what is given
  private[this] var read = 0L // rows that it was made of, until that was told
  private[this] var promised = Long.MinValue
  private[this] var sentAt = System.nanoTime - PauseNanos
  private[this] val sentTo = new Array[Boolean](task.partitions)
  private[this] var to =
    0 // the partition that the promise goes to next: at the start it goes to all
  private[this] var toAll = true
  private[this] var isThrough = false

  promise.setLong(columns + LivePartialsExec.promisedAt, promised)
  promise.setLong(columns + LivePartialsExec.readAtAt, TaskMeter.now)
  context.addTaskCompletionListener[Unit](_ => workers.stop())
  workers.start(Seq(new Reading))

  private[this] def newBuffer(): PartialsBuffer =
    if (task.partials.functions.fixed) new FixedBuffer(task) else new ObjectBuffer(task)

  override def hasNext: Boolean = {
    while (!isThrough && !isGiving) turn()
    !isThrough
  }

  override def next(): UnsafeRow = {
    if (!hasNext) throw new NoSuchElementException
    if (taken ne null) nextRow() else nextPromise()
  }

  /** Whether there is a row or a promise to be given. */
  private[this] def isGiving: Boolean = {
    if ((taken ne null) && !taken.hasNext) giveBack()
    (taken ne null) || {
      while (to < task.partitions && !toAll && !sentTo(to)) to += 1
      to < task.partitions
    }
  }

  private[this] def nextRow(): UnsafeRow = {
    val row = taken.next()
    val cell = Math.floorMod(hashOf(row).getLong(0).toInt, task.partitions)
    sentTo(cell) = true
    told.setLong(LivePartialsExec.cellAt, cells(cell))
    told.setLong(LivePartialsExec.countAt, read)
    read = 0
    rowOf(joined(row, told))
  }

  private[this] def nextPromise(): UnsafeRow = {
    promise.setLong(columns + LivePartialsExec.cellAt, cells(to))
    to += 1
    promise
  }

  /** Waits until there is something to send. */
  private[this] def turn(): Unit = {
    TaskAccess.stopIfKilled(context)
    java.util.Arrays.fill(sentTo, false)
    lock.synchronized {
      val begun = System.nanoTime
      var left = HeartbeatNanos
      while (added == 0 && !isInputOver && left > 0) {
        waitFor(left)
        left = HeartbeatNanos - (System.nanoTime - begun)
      }
      left = PauseNanos - (System.nanoTime - sentAt)
      while (added > 0 && !filling.isFull && !isInputOver && left > 0) {
        waitFor(left)
        left = PauseNanos - (System.nanoTime - sentAt)
      }
      ending.throwIfStopped()
      take()
    }
  }

  private[this] def take(): Unit = {
    val now = System.nanoTime
    val hasRows = added > 0
    if (hasRows) {
      val full = filling
      filling = other
      other = null
      full.drain()
      taken = full
      read = added
      added = 0
    } else if (isInputOver) isThrough = true
    sentAt = now
    val bound =
      task.delay.filter(_ => latest != Long.MinValue).fold(Long.MinValue)(RealTimeTerms.promised(
        latest,
        _
      ))
    toAll = bound > promised || !hasRows
    promised = math.max(promised, bound)
    promise.setLong(columns + LivePartialsExec.promisedAt, promised)
    promise.setLong(columns + LivePartialsExec.readAtAt, latestReadAt)
    if (isHeard) {
      val silent = if (hasRows) 0L else math.max(0L, now - heardAt) / 1000
      promise.setLong(columns + LivePartialsExec.silentAt, silent)
    }
    to = 0
    lock.notifyAll()
  }

  private[this] def giveBack(): Unit = lock.synchronized {
    other = taken
    taken = null
    lock.notifyAll()
  }

  /** Under the lock. */
  private[this] def waitFor(nanos: Long): Unit =
    lock.wait(nanos / 1000000, (nanos % 1000000).toInt)

  final private[this] class Reading extends Work(s"scalegate-real-time-window-$partition") {
    private[this] val pane = task.input.indexWhere(_.exprId == task.pane.exprId)
    private[this] val time = task.input.indexWhere(_.exprId == task.time.exprId)
    private[this] var adding: PartialsAdder = _
    private[this] var hasMore = true

    override def prepare(): Unit = {
      TaskAccess.enter(context)
      adding = new PartialsAdder(partition, task)
    }

    def step(): Boolean = {
      hasMore = rows.hasNext
      if (hasMore) take(rows.next())
      true
    }

    private[this] def take(row: InternalRow): Unit = lock.synchronized {
      while ((filling eq null) || filling.isFull) {
        lock.notifyAll()
        lock.wait()
        if (ending.isStopped) return
      }
      filling.add(adding, row, row.getLong(pane))
      added += 1
      heardAt = System.nanoTime
      isHeard = true
      if (row.getLong(time) > latest) {
        latest = row.getLong(time)
        latestReadAt = TaskMeter.now
      }
      if (added == 1) lock.notifyAll()
    }

    def isFinished: Boolean = !hasMore

    override def end(): Unit = {
      lock.synchronized {
        isInputOver = true
        lock.notifyAll()
      }
      TaskAccess.leave()
    }
  }
}

private[realtime] object LivePartials {

  /** Between two times that rows are sent while rows come. */
  val PauseNanos = 5000000L

  /** After so long without rows what is promised is told once more, and for how long none came. */
  val HeartbeatNanos = 250000000L
}

/** What the thread that adds needs. One thread. */
final private class PartialsAdder(partition: Int, task: LivePartialsTask) {
  val keysOf: UnsafeProjection = {
    val made = UnsafeProjection.create(task.keys, task.input)
    made.initialize(partition)
    made
  }
  private[this] val unsafe = UnsafeProjection.create(task.input, task.input)

  def asUnsafe(row: InternalRow): UnsafeRow = row match {
    case made: UnsafeRow => made
    case other => unsafe(other)
  }

  lazy val updates: PaneUpdates = new PaneUpdates(partition, task.partials.functions, task.input)
  lazy val objects: ObjectAggregation =
    ObjectAggregation.updating(partition, task.partials.functions, task.input)
}

/** Partial results that wait to be sent. One thread at a time: filled by `add`, then drained by `drain` and the iterator,
  * whose rows are valid until the next is asked for.
  */
sealed abstract private class PartialsBuffer extends Iterator[UnsafeRow] {
  def add(by: PartialsAdder, row: InternalRow, pane: Long): Unit
  def isFull: Boolean
  def drain(): Unit
}

/** By key and pane, of fixed size. */
final private class FixedBuffer(task: LivePartialsTask) extends PartialsBuffer {
  private[this] val panes: PartialPanes = task.partials.begin()
  private[this] var full = false

  override def add(by: PartialsAdder, row: InternalRow, pane: Long): Unit = {
    by.updates.add(panes.point(by.keysOf(row), pane), row)
    full = panes.isFull
  }

  override def isFull: Boolean = full

  override def drain(): Unit = {
    panes.drain()
    full = false
  }

  override def hasNext: Boolean = panes.hasNext
  override def next(): UnsafeRow = panes.next()
}

/** Those that hold objects: one of each row, for to merge two takes as long as to send both. */
final private class ObjectBuffer(task: LivePartialsTask) extends PartialsBuffer {
  private[this] val rows = new ArrayDeque[UnsafeRow]
  private[this] val joined = new JoinedRow
  private[this] val pane = new SpecificInternalRow(Seq(LongType))
  private[this] val keyed = new JoinedRow
  private[this] val rowOf =
    UnsafeProjection.create((task.keys ++ task.values).map(_.dataType).toArray)

  override def add(by: PartialsAdder, row: InternalRow, at: Long): Unit = {
    pane.setLong(0, at)
    by.objects.begin(by.asUnsafe(row))
    rows.add(rowOf(joined(keyed(by.keysOf(row), pane), by.objects.partial())).copy())
    ()
  }

  override def isFull: Boolean = rows.size >= ObjectBuffer.Most
  override def drain(): Unit = ()
  override def hasNext: Boolean = !rows.isEmpty
  override def next(): UnsafeRow = rows.poll()
}

private object ObjectBuffer {
  val Most = 4096
}

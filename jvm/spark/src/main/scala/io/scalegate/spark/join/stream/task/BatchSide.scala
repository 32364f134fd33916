package io.scalegate.spark.join.stream.task

import java.util.BitSet

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import io.scalegate.lookup.{RowMarks, WindowRun}
import io.scalegate.spark.join.stream.state.{
  Chunk,
  ChunkStore,
  EventTimeWindow,
  IntervalWindow,
  RowBatch,
  RowCountWindow,
  SideState,
  StoredRows
}
import io.scalegate.spark.rows.RowOrder
import io.scalegate.stream.Side

/** One side of a partition in one batch: the rows that are joined in it, the state, and which rows of both have
  * matched. Read by the task's thread, but for what says otherwise. It holds the batch's rows of the side, and
  * the pages of the state's marks that it changes.
  *
  * @param rows
  *   that are joined
  * @param storedKeys
  *   their attributes, their positions along the window among them, as they are found by; any thread
  * @param probeKeys
  *   the same as they probe by; any thread
  * @param unmatchable
  *   unmatchable rows that are given at once
  * @param unmatchableInTurn
  *   unmatchable rows whose turn comes in this batch, by their times
  * @param later
  *   what comes of the side after the batch, but for its window; of its chunks those that this batch has written so far
  */
final private[scalegate] class BatchSide(
    stored: StoredSide,
    val rows: RowBatch,
    val storedKeys: IndexedSeq[Array[Long]],
    val probeKeys: IndexedSeq[Array[Long]],
    val unmatchable: Iterator[UnsafeRow],
    val unmatchableInTurn: RowBatch,
    val held: SideState,
    later: SideState,
    batch: Long,
    expiry: Expiry
) {
  import expiry.{before, evicted, expired}

  val side: Side = stored.side
  val input: StreamInput = stored.input

  /** Of rows of equal times. Any thread. */
  def rowOrder: RowOrder = stored.rowOrder

  private[this] val positions = storedKeys(stored.window.key)

  /** Where the rows begin that a later batch may ask for. */
  private[this] val firstKept = RowBatch.firstAfter(positions, expired)

  private[this] val newMatched = new BitSet
  private[this] val heldRows = held.window.runs.map(_.rows).toArray
  private[this] val heldMatched: Array[RowMarks] = heldRows.map(_.matched)
  private[this] val marked = new mutable.ArrayBuilder.ofLong
  private[this] val markedRow = new UnsafeRow(input.output.length)
  private[this] var latestMarked = Long.MinValue

  /** The new rows as a run, made when it is asked for. Any thread. */
  lazy val run: WindowRun[StoredRows] = held.window.runOf(storedKeys, rows.stored)

  /** Makes `row` the new one of this number, in the order of times. Any thread. */
  def point(row: UnsafeRow, number: Int): Unit = rows.stored.point(row, number)

  /** The rows of a run held, or of the new one, which comes last. Any thread. */
  def rowsOf(run: Int): StoredRows = if (run < heldRows.length) heldRows(run) else this.run.rows

  /** Whether a row found has matched something, by its run and its number in that: the runs held, and then the new
    * one. The number of a new row in the order of times is another.
    */
  def hasMatched(run: Int, number: Int): Boolean =
    if (run < heldMatched.length) heldMatched(run).contains(number)
    else newMatched.get(batchNumber(number))

  def hasMatched(number: Int): Boolean = newMatched.get(number)

  /** The run in which the row of this position lies, where no two rows have the same: as [[rowsOf]] counts them. Any
    * thread.
    */
  def runAt(position: Long): Int = {
    var run = heldRows.length
    while (run > 0 && position < runOf(run).earliest) run -= 1
    run
  }

  /** The number in its run of the row of this position, where no two rows have the same. Any thread. */
  def numberAt(run: Int, position: Long): Int = runOf(run).numberAt(position)

  private[this] def runOf(run: Int): WindowRun[StoredRows] =
    if (run < heldRows.length) held.window.runs(run) else this.run

  def mark(number: Int): Unit = newMatched.set(number)

  def mark(run: Int, number: Int): Unit =
    if (run == heldMatched.length) newMatched.set(batchNumber(number))
    else if (!heldMatched(run).contains(number)) {
      val old = held.window.runs(run)
      if (heldMatched(run) eq old.rows.matched)
        heldMatched(run) = old.rows.matched.copy()
      heldMatched(run).add(number)
      if (old.timeOf(number) > expired) addMark(old.rows, number, old.timeOf(number))
    }

  /** The rows whose time has come since the batch before, in the order of the runs and of their positions. */
  def closing: Iterator[Closing] = {
    val old = held.window.runs.iterator.zipWithIndex.flatMap { case (run, i) =>
      run.between(before, expired).map { n =>
        new Closing(side, run.timeOf(n), run.rows.row(n), () => heldMatched(i).contains(n))
      }
    }
    val fresh = Iterator.range(0, firstKept).map { number =>
      new Closing(side, positions(number), rows.stored.row(number), () => newMatched.get(number))
    }
    old ++ fresh
  }

  /** Puts the batch's marks into the checkpoint, takes what has expired out of it, and gives what is held from now
    * on.
    */
  def finish(store: ChunkStore): SideState = {
    var number = newMatched.nextSetBit(firstKept)
    while (number >= 0) {
      addMark(rows.stored, number, positions(number))
      number = newMatched.nextSetBit(number + 1)
    }
    val marks = marked.result()
    val entry =
      if (marks.isEmpty) None
      else Some(Chunk.ofMarks(side, batch, latestMarked, marks))
    val written = later.chunks ++ store.add(entry.toSeq)
    store.evict(side, evicted)
    val (old, kept) = held.chunks.partition { case (_, latest) => latest <= evicted }
    old.foreach { case (key, _) => store.remove(key) }
    later.copy(window = grown, chunks = kept ++ written)
  }

  private[this] def grown = {
    val window =
      if (!input.decided) held.window
      else {
        val changed = held.window.runs.zip(heldMatched).toMap
        held.window.withRows { run =>
          val matched = changed(run)
          if (matched eq run.rows.matched) run.rows else run.rows.withMatched(matched)
        }
      }
    if (rows.size == 0) window.without(expired)
    else if (!input.decided) window.add(run, expired)
    else {
      val byNumber = new RowMarks
      var n = 0
      while (n < rows.size) {
        if (newMatched.get(batchNumber(n))) byNumber.add(n)
        n += 1
      }
      window.add(run.withRows(run.rows.withMatched(byNumber)), expired)
    }
  }

  private[this] def batchNumber(number: Int): Int = run.index.order(number)

  /** An entry of the checkpoint is of use until its rows have expired: rows that are counted, until others come that are
    * as late.
    */
  private[this] def addMark(rows: StoredRows, number: Int, position: Long): Unit = {
    marked += rows.ids(number)
    val time = stored.window match {
      case _: RowCountWindow =>
        rows.point(markedRow, number)
        markedRow.getLong(input.eventTime)
      case _: EventTimeWindow | _: IntervalWindow => position
    }
    latestMarked = math.max(latestMarked, time)
  }
}

/** What of a side goes with a batch.
  *
  * @param before
  *   what `expired` was in the batch before
  * @param expired
  *   rows whose position is not above this match no row of a later batch
  * @param evicted
  *   entries of the checkpoint about no row whose time is above this are of no use any more
  */
final private[task] case class Expiry(before: Long, expired: Long, evicted: Long)

/** A row whose time has come: no row of a later batch matches it.
  *
  * @param position
  *   along the window
  * @param matched
  *   whether one of this batch, or of those before, has; to be asked when all of its pairs were found
  */
final private[scalegate] class Closing(
    val side: Side,
    val position: Long,
    val row: UnsafeRow,
    matched: () => Boolean
) {
  def isMatched: Boolean = matched()
}

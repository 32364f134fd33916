package io.scalegate.spark.streaming

import java.util.BitSet

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import io.scalegate.join.WindowRun
import io.scalegate.stream.Side

/** One side of a partition in one batch: the rows that are new, those held, and which of both have matched. One
  * thread.
  *
  * @param rows
  *   that are new
  * @param unmatchable
  *   new rows that match nothing, and are decided on
  * @param waiting
  *   rows that have come and are joined in a later batch
  * @param written
  *   what this batch put into the checkpoint
  * @param expired
  *   rows whose time is not above this match no row of a later batch
  * @param gone
  *   entries of the checkpoint about no row whose time is above this are of no use any more
  */
final private[streaming] class NewSide(
    val side: Side,
    val input: StreamInput,
    val rows: RowBatch,
    unmatchable: Iterator[InternalRow],
    waiting: RowBatch,
    val held: SideState,
    written: Vector[(ChunkKey, Long)],
    batch: Long,
    expired: Long,
    gone: Long
) {

  /** Where the rows begin that a later batch may ask for. */
  private[this] val firstKept = rows.firstAfter(expired)

  private[this] val newMatched = new BitSet
  private[this] val heldMatched: Array[BitSet] = held.window.runs.map(_.rows.matched).toArray
  private[this] val marked = new mutable.ArrayBuilder.ofLong
  private[this] var latestMarked = Long.MinValue

  /** The new rows as a run, made when it is asked for. */
  lazy val run: WindowRun[StoredRows] = held.window.runOf(rows.keys, rows.stored)

  /** Makes `row` the new one of this place. */
  def point(row: UnsafeRow, place: Int): Unit = rows.stored.point(row, place)

  /** Whether a row found has matched something: the run counts those held, and then the new one. */
  def hasMatched(run: Int, number: Int): Boolean =
    if (run < heldMatched.length) heldMatched(run).get(number)
    else newMatched.get(placeOf(number))

  def hasMatched(place: Int): Boolean = newMatched.get(place)

  def mark(place: Int): Unit = newMatched.set(place)

  def mark(run: Int, number: Int): Unit =
    if (run == heldMatched.length) newMatched.set(placeOf(number))
    else if (!heldMatched(run).get(number)) {
      val old = held.window.runs(run)
      if (heldMatched(run) eq old.rows.matched)
        heldMatched(run) = old.rows.matched.clone().asInstanceOf[BitSet]
      heldMatched(run).set(number)
      addMark(old.rows.ids(number), old.timeOf(number))
    }

  /** The rows that have not matched anything and whose time has come, in the order of the runs and of their times.
    *
    * @param before
    *   what [[expired]] was in the batch before
    */
  def unmatched(before: Long): Iterator[InternalRow] = {
    val row = new UnsafeRow(input.output.length)
    val old = held.window.runs.iterator.zipWithIndex.flatMap { case (run, i) =>
      run.between(before, expired).filterNot(heldMatched(i).get).map { n =>
        run.rows.point(row, n)
        row
      }
    }
    val fresh = Iterator.range(0, firstKept).filterNot(newMatched.get).map { place =>
      point(row, place)
      row
    }
    unmatchable ++ old ++ fresh
  }

  /** Puts the batch's marks into the checkpoint, takes what has expired out of it, and gives what is held from now
    * on.
    */
  def finish(store: ChunkStore): SideState = {
    var place = newMatched.nextSetBit(firstKept)
    while (place >= 0) {
      addMark(rows.stored.ids(place), rows.timeOf(place))
      place = newMatched.nextSetBit(place + 1)
    }
    val marks = marked.result()
    val entry =
      if (marks.isEmpty) None
      else Some(Chunk.ofMarks(side, batch, latestMarked, marks))
    entry.foreach(store.put)
    val (old, kept) = held.chunks.partition { case (_, latest) => latest <= gone }
    old.foreach { case (key, _) => store.remove(key) }
    SideState(grown, kept ++ written ++ entry.map(e => e.key -> e.latest), waiting)
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
      val byNumber = new BitSet(rows.size)
      var n = 0
      while (n < rows.size) {
        if (newMatched.get(placeOf(n))) byNumber.set(n)
        n += 1
      }
      window.add(run.withRows(run.rows.withMatched(byNumber)), expired)
    }
  }

  private[this] def placeOf(number: Int): Int = run.index.order(number)

  private[this] def addMark(id: Long, time: Long): Unit =
    if (time > expired) {
      marked += id
      latestMarked = math.max(latestMarked, time)
    }
}

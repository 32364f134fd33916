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
  * @param expired
  *   rows whose time is not above this match no row of a later batch
  */
final private[streaming] class NewSide(
    val side: Side,
    val input: StreamInput,
    val rows: NewRows,
    val held: SideState,
    batch: Long,
    expired: Long
) {
  private[this] val (rowsKind, marksKind) =
    if (side eq Side.R) (Chunk.LeftRows, Chunk.LeftMarks)
    else (Chunk.RightRows, Chunk.RightMarks)

  /** Where the rows begin that a later batch may ask for: they are in the order of their times. */
  private[this] val firstKept = {
    var low = 0
    var high = rows.size
    while (low < high) {
      val middle = (low + high) >>> 1
      if (rows.timeOf(middle) <= expired) low = middle + 1 else high = middle
    }
    low
  }

  private[this] val ids =
    if (input.decided) Array.tabulate(rows.size)(n => Chunk.id(batch, n - firstKept)) else null

  private[this] val stored = rows.stored(ids, if (input.decided) new BitSet else null)

  private[this] val newMatched = new BitSet
  private[this] val heldMatched: Array[BitSet] = held.window.runs.map(_.rows.matched).toArray
  private[this] val marked = new mutable.ArrayBuilder.ofLong
  private[this] var latestMarked = Long.MinValue
  private[this] var written = Vector.empty[(ChunkKey, Long)]

  /** The new rows as a run, made when it is asked for. */
  lazy val run: WindowRun[StoredRows] = held.window.runOf(rows.keys, stored)

  /** Makes `row` the new one of this place. */
  def point(row: UnsafeRow, place: Int): Unit = stored.point(row, place)

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
    rows.unmatchable ++ old ++ fresh
  }

  /** Puts what later batches need of the new rows into the checkpoint. */
  def writeRows(store: ChunkStore): Unit =
    for (from <- firstKept until rows.size by Chunk.Rows) {
      val until = math.min(rows.size, from + Chunk.Rows)
      put(
        store,
        Chunk(
          ChunkKey(rowsKind, batch, (from - firstKept) / Chunk.Rows),
          rows.timeOf(until - 1),
          (until - from).toLong,
          Chunk.ofRows(stored, input.output.length, from, until)
        )
      )
    }

  /** Puts the batch's marks into the checkpoint, takes what has expired out of it, and gives what is held from now
    * on.
    */
  def finish(store: ChunkStore): SideState = {
    var place = newMatched.nextSetBit(firstKept)
    while (place >= 0) {
      addMark(ids(place), rows.timeOf(place))
      place = newMatched.nextSetBit(place + 1)
    }
    val marks = marked.result()
    if (marks.nonEmpty)
      put(
        store,
        Chunk(
          ChunkKey(marksKind, batch, 0),
          latestMarked,
          marks.length.toLong,
          Chunk.ofIds(marks)
        )
      )
    val (gone, kept) = held.chunks.partition { case (_, latest) => latest <= expired }
    gone.foreach { case (key, _) => store.remove(key) }
    SideState(grown, kept ++ written)
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

  private[this] def put(store: ChunkStore, chunk: Chunk): Unit = {
    store.put(chunk)
    written = written :+ (chunk.key -> chunk.latest)
  }
}

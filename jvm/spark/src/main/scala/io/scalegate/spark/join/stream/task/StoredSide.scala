package io.scalegate.spark.join.stream.task

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import io.scalegate.band.Band
import io.scalegate.lookup.{RowMarks, WindowRuns}
import io.scalegate.spark.join.stream.state.{
  Chunk,
  EventTimeWindow,
  IntervalWindow,
  RowBatch,
  RowCountWindow,
  SideState,
  StoredRows,
  StoredRowsKeeper,
  StreamWindow
}
import io.scalegate.spark.rows.{AttributeReader, RowOrder, RowStore}
import io.scalegate.stream.Side

/** How one side of a join is held between batches. It makes states, and holds none.
  *
  * @param inTurn
  *   whether its rows wait for the watermark
  * @param onlyUnmatched
  *   whether a row that has matched is of no use any more
  */
final private[scalegate] class StoredSide(
    val side: Side,
    val input: StreamInput,
    bands: IndexedSeq[Band],
    val window: StreamWindow,
    val inTurn: Boolean,
    onlyUnmatched: Boolean
) {
  val columns: Int = input.output.length

  /** How many attributes a row has that are compared. */
  val width: Int = bands.length

  /** Of rows of equal times; only where rows have turns is it seen. */
  val rowOrder: RowOrder =
    if (inTurn) RowOrder(input.ties, input.output) else RowOrder.ofBytes(input.output)

  /** Reads the attributes of a row; the task's thread alone. */
  lazy val reader: AttributeReader = AttributeReader(input.bounded, input.output)

  /** Puts rows together, and [[unmatchableKeeper]] those that match nothing. */
  val keeper = new StoredRowsKeeper(columns, input.decided, onlyUnmatched = false)
  val unmatchableKeeper = new StoredRowsKeeper(columns, decided = false, onlyUnmatched = false)

  def empty: SideState = SideState(
    windowRuns,
    Vector.empty,
    0L,
    timed(Vector.fill(width)(Array.emptyLongArray), Vector.empty, keeper),
    timed(Vector.fill(width)(Array.emptyLongArray), Vector.empty, unmatchableKeeper)
  )

  /** The rows' attributes, with other positions along the window where it counts rows. */
  def positioned(rows: RowBatch, positionOf: Int => Long): IndexedSeq[Array[Long]] =
    window match {
      case _: EventTimeWindow | _: IntervalWindow => rows.keys
      case w: RowCountWindow => rows.keys.updated(w.key, Array.tabulate(rows.size)(positionOf))
    }

  /** The attributes by which the rows probe the other side. */
  def probing(rows: RowBatch, positionOf: Int => Long): IndexedSeq[Array[Long]] = window match {
    case w: IntervalWindow =>
      rows.keys.updated(w.key, rows.keys(w.key + 1)).updated(w.key + 1, rows.keys(w.key))
    case _ => positioned(rows, positionOf)
  }

  /** What the checkpoint says.
    *
    * @param chunks
    *   by their kinds
    */
  def restored(chunks: Map[Int, Seq[Chunk]], watermark: Long): SideState = {
    def entries(kind: Int) =
      chunks.getOrElse(kind, Nil).sortBy(c => (c.key.batch, c.key.part)).toVector
    val kinds = Chunk.ofSide(side)
    val (rows, marks, unmatchable) =
      (entries(kinds.rows), entries(kinds.marks), entries(kinds.unmatchable))
    val matched = mutable.HashSet.empty[Long]
    marks.foreach(m => matched ++= Chunk.ids(m.content))
    val stored = rows.map(storedOf(_, matched))
    val all = timed(keysOf(stored), stored, keeper)
    val (now, waiting) = parted(all, watermark, keeper)
    val unmatchableRows = unmatchable.map(storedOf(_, matched))
    SideState(
      windowRuns.add(
        windowRuns.runOf(positioned(now, n => n + 1L), now.stored),
        window.expired(side, watermark, now.size.toLong)
      ),
      (rows ++ marks ++ unmatchable).map(c => c.key -> c.latest),
      now.size.toLong,
      waiting,
      parted(
        timed(timesOf(unmatchableRows), unmatchableRows, unmatchableKeeper),
        watermark,
        unmatchableKeeper
      )._2
    )
  }

  /** The rows whose turn has come, and the others. */
  def parted(rows: RowBatch, watermark: Long, keeper: StoredRowsKeeper): (RowBatch, RowBatch) = {
    val first = turns(rows.times, watermark)
    (rows.slice(0, first, keeper), rows.slice(first, rows.size, keeper))
  }

  /** How many of these times, which are in order, have their turn. */
  def turns(times: Array[Long], watermark: Long): Int =
    if (inTurn) RowBatch.firstAfter(times, watermark) else times.length

  /** All rows of a window by their times, in the order in which they had their turns. */
  def inOrder(of: WindowRuns[StoredRows]): RowBatch = {
    val rows = of.runs.map(_.rows)
    timed(timesOf(rows), rows, keeper)
  }

  private[this] def windowRuns: WindowRuns[StoredRows] = {
    // A window of rows counts all of them.
    val counted = window.isInstanceOf[RowCountWindow]
    WindowRuns.empty(
      window.bands(side, bands),
      side,
      window.key,
      new StoredRowsKeeper(columns, input.decided, onlyUnmatched && !counted)
    )
  }

  private[this] def storedOf(chunk: Chunk, matched: mutable.HashSet[Long]): StoredRows = {
    val store = new RowStore(columns, chunk.count.toInt)
    Chunk.rowsInto(store, columns, chunk.content)
    val first = chunk.key.part * Chunk.Rows
    val ids = Array.tabulate(store.size)(n => Chunk.id(chunk.key.batch, first + n))
    val marked = new RowMarks
    ids.indices.filter(n => matched.contains(ids(n))).foreach(marked.add)
    new StoredRows(store, null, ids, marked)
  }

  private[this] def keysOf(rows: Vector[StoredRows]): IndexedSeq[Array[Long]] = {
    val keys = Vector.fill(width)(new Array[Long](rows.map(_.size).sum))
    eachOf(rows) { (row, n) =>
      reader.read(row)
      for (i <- keys.indices) keys(i)(n) = reader.keys(i)
    }
    keys
  }

  /** For all attributes, of rows some of whose others are NULL. */
  private[this] def timesOf(rows: Vector[StoredRows]): IndexedSeq[Array[Long]] = {
    val times = new Array[Long](rows.map(_.size).sum)
    eachOf(rows)((row, n) => times(n) = row.getLong(input.eventTime))
    Vector.fill(width)(times)
  }

  private[this] def eachOf(rows: Vector[StoredRows])(see: (UnsafeRow, Int) => Unit): Unit = {
    val row = new UnsafeRow(columns)
    var count = 0
    for (some <- rows; n <- 0 until some.size) {
      some.point(row, n)
      see(row, count)
      count += 1
    }
  }

  /** Rows of several batches, with these attributes, in the order of their times. */
  private[this] def timed(
      keys: IndexedSeq[Array[Long]],
      rows: Vector[StoredRows],
      keeper: StoredRowsKeeper
  ): RowBatch = {
    val numbers = rows.indices.flatMap(i => RowBatch.numbered(i, 0, rows(i).size)).toArray
    val order = rowOrder.numbersBy(keys(window.key)) { (row, n) =>
      rows((numbers(n) >>> 32).toInt).point(row, numbers(n).toInt)
    }
    new RowBatch(
      keys.map(k => order.map(k(_))),
      keeper.gather(rows, order.map(numbers(_))),
      window.key
    )
  }
}

package io.scalegate.spark.join.stream.state

import java.nio.ByteBuffer

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.Platform

import io.scalegate.spark.rows.RowStore
import io.scalegate.stream.Side

/** An entry of a partition's checkpoint: rows or marks that were written together and are removed together.
  *
  * @param latest
  *   the greatest time of a row that it is about, in microseconds; when no row after the watermark can match that one,
  *   the entry goes
  * @param count
  *   of rows or marks
  */
final case class Chunk(
    key: ChunkKey,
    latest: Long,
    count: Long,
    content: Array[Byte]
)

object Chunk {

  /** Rows of the left input, and of the right one. */
  val LeftRows = 0
  val RightRows = 1

  /** The rows of the left input, and of the right one, that have matched something: their ids. */
  val LeftMarks = 2
  val RightMarks = 3

  /** Rows of the left input, and of the right one, that match nothing, and wait for their turn. */
  val LeftUnmatchable = 5
  val RightUnmatchable = 6

  /** Rows of the left input, and of the right one, that wait for their turn where those that had it are told apart by
    * more than their times.
    */
  val LeftWaiting = 7
  val RightWaiting = 8

  /** One entry: `latest` is the watermark that rows were last expired by. */
  val Watermark = 4

  /** The kinds of entries about one side. */
  final case class Kinds(rows: Int, marks: Int, unmatchable: Int, waiting: Int)

  def ofSide(side: Side): Kinds =
    if (side eq Side.R) Kinds(LeftRows, LeftMarks, LeftUnmatchable, LeftWaiting)
    else Kinds(RightRows, RightMarks, RightUnmatchable, RightWaiting)

  val WatermarkKey: ChunkKey = ChunkKey(Watermark, 0, 0)

  /** The entry that says up to where rows were joined, in microseconds. */
  def ofWatermark(watermark: Long): Chunk =
    Chunk(WatermarkKey, watermark, 0L, Array.emptyByteArray)

  /** What it says; the least where there is none. */
  def watermarkOf(chunks: Seq[Chunk]): Long =
    chunks.find(_.key.kind == Watermark).fold(Long.MinValue)(_.latest)

  /** Rows of a chunk: few enough that one whose rows come early goes early. */
  val Rows: Int = 1 << 15

  /** What a row is called in marks: its batch, and its number among its side's rows in that batch. */
  def id(batch: Long, number: Int): Long = (batch << NumberBits) | number.toLong

  private[this] val NumberBits = 30

  /** A number for the row at an index of a chunk of rows that waited, which no row has in the batch that wrote it. */
  def waited(key: ChunkKey, index: Int): Int = (1 << (NumberBits - 1)) + key.part * Rows + index

  /** The rows whose times lie above `kept`, in chunks. */
  def ofBatch(kind: Int, batch: Long, rows: RowBatch, columns: Int, kept: Long): Seq[Chunk] = {
    val first = rows.firstAfter(kept)
    (first until rows.size by Rows).map { from =>
      val until = math.min(rows.size, from + Rows)
      val key = ChunkKey(kind, batch, (from - first) / Rows)
      val content = ofRows(rows.stored, columns, from, until)
      Chunk(key, rows.timeOf(until - 1), (until - from).toLong, content)
    }
  }

  /** One row, as an entry of its own. */
  def ofRow(key: ChunkKey, time: Long, row: UnsafeRow): Chunk = {
    val content = new Array[Byte](row.getSizeInBytes + Header)
    val at = Platform.BYTE_ARRAY_OFFSET.toLong
    Platform.putLong(content, at, row.getSizeInBytes.toLong)
    row.writeToMemory(content, at + Header)
    Chunk(key, time, 1L, content)
  }

  /** The mark of one row, which goes with it. */
  def ofMark(key: ChunkKey, time: Long): Chunk =
    Chunk(key, time, 1L, ofIds(Array(id(key.batch, key.part))))

  /** Marks of these rows.
    *
    * @param latest
    *   the greatest of their times
    */
  def ofMarks(side: Side, batch: Long, latest: Long, ids: Array[Long]): Chunk =
    Chunk(ChunkKey(ofSide(side).marks, batch, 0), latest, ids.length.toLong, ofIds(ids))

  /** The rows numbered from `from` up to, and without, `until`: of each its length and its bytes. */
  private[this] def ofRows(rows: StoredRows, columns: Int, from: Int, until: Int): Array[Byte] = {
    val row = new UnsafeRow(columns)
    var bytes = 0
    var n = from
    while (n < until) {
      rows.point(row, n)
      bytes = Math.addExact(bytes, row.getSizeInBytes + Header)
      n += 1
    }
    val content = new Array[Byte](bytes)
    var at = Platform.BYTE_ARRAY_OFFSET.toLong
    n = from
    while (n < until) {
      rows.point(row, n)
      Platform.putLong(content, at, row.getSizeInBytes.toLong)
      row.writeToMemory(content, at + Header)
      at += row.getSizeInBytes + Header
      n += 1
    }
    content
  }

  /** Adds the rows of a chunk to a store. */
  def rowsInto(store: RowStore, columns: Int, content: Array[Byte]): Unit = {
    val row = new UnsafeRow(columns)
    var at = Platform.BYTE_ARRAY_OFFSET.toLong
    val end = at + content.length
    while (at < end) {
      row.pointTo(content, at + Header, Platform.getLong(content, at).toInt)
      store.add(row)
      at += row.getSizeInBytes + Header
    }
  }

  /** Where so many rows end that begin there. */
  def endOfRows(content: Array[Byte], from: Int, rows: Int): Int = {
    var at = from
    var n = 0
    while (n < rows) {
      at += Platform.getLong(content, Platform.BYTE_ARRAY_OFFSET.toLong + at).toInt + Header
      n += 1
    }
    at
  }

  /** As long as keeps rows aligned. */
  private[this] val Header = 8

  private[this] def ofIds(ids: Array[Long]): Array[Byte] = {
    val content = ByteBuffer.allocate(ids.length * java.lang.Long.BYTES)
    content.asLongBuffer().put(ids)
    content.array()
  }

  def ids(content: Array[Byte]): Array[Long] = {
    val ids = new Array[Long](content.length / java.lang.Long.BYTES)
    ByteBuffer.wrap(content).asLongBuffer().get(ids)
    ids
  }
}

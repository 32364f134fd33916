package io.scalegate.spark.join.stream.state

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.types.{DataType, LongType}
import org.scalatest.funsuite.AnyFunSuite

import io.scalegate.spark.rows.RowStore
import io.scalegate.stream.Side

/** What the parts of a batch put into the checkpoint, as one batch would have. */
final class BatchJournalSuite extends AnyFunSuite {
  final private class Entries extends ChunkStore {
    val all = mutable.Map.empty[ChunkKey, Chunk]
    def put(chunk: Chunk): Unit = all(chunk.key) = chunk
    def remove(key: ChunkKey): Unit = all -= key
    def chunks: Iterator[Chunk] = all.valuesIterator
  }

  /** A chunk of rows that hold these numbers, which are their times. */
  private def rows(kind: Int, numbers: Range): Chunk = {
    val project = UnsafeProjection.create(Array[DataType](LongType))
    val store = new RowStore(1, numbers.size)
    numbers.foreach(n => store.add(project(InternalRow(n.toLong))))
    val batch = new RowBatch(
      Vector(numbers.map(_.toLong).toArray),
      StoredRows.plain(store, null),
      0
    )
    Chunk.ofBatch(kind, 7L, batch, 1, Long.MinValue).head
  }

  /** The rows of a kind by their names. */
  private def named(entries: Entries, kind: Int): Map[Long, Long] =
    entries.chunks.filter(_.key.kind == kind).flatMap { c =>
      val store = new RowStore(1, c.count.toInt)
      Chunk.rowsInto(store, 1, c.content)
      assert(store.size == c.count)
      (0 until store.size).map { n =>
        Chunk.id(c.key.batch, c.key.part * Chunk.Rows + n) -> store.row(n).getLong(0)
      }
    }.toMap

  test("rows keep the names that they have by the order in which they came") {
    val entries = new Entries
    val journal = new BatchJournal(entries, 7L)
    val sizes = Seq(1, 1000, 31000, 5000, 32768, 32767, 40)
    val starts = sizes.scanLeft(0)(_ + _)
    for ((from, size) <- starts.zip(sizes)) {
      assert(journal.named(Side.R) == from)
      assert(journal.add(Seq(rows(Chunk.LeftRows, from until from + size))).isEmpty)
    }
    assert(entries.all.isEmpty && journal.named(Side.S) == 0)
    val written = journal.write()
    val total = sizes.sum
    assert(named(entries, Chunk.LeftRows) == (0 until total).map(n =>
      Chunk.id(7L, n) -> n.toLong
    ).toMap)
    assert(written(Side.S).isEmpty)
    assert(written(Side.R).map(_._1).toSet == entries.all.keySet)
    assert(entries.all.size == (total + Chunk.Rows - 1) / Chunk.Rows)
    assert(written(Side.R).forall { case (key, latest) => entries.all(key).latest == latest })
  }

  test("rows that are of no use any more are not written, and the others keep their names") {
    val entries = new Entries
    val journal = new BatchJournal(entries, 7L)
    for (from <- 0 until 100000 by 1000) {
      journal.add(Seq(rows(Chunk.RightRows, from until from + 1000)))
      journal.evict(Side.S, from - 2000L)
      journal.evict(Side.R, Long.MaxValue)
      assert(journal.bytes < 3 * 32 * Chunk.Rows)
    }
    journal.write()
    val kept = named(entries, Chunk.RightRows)
    assert(kept.forall { case (id, value) => id == Chunk.id(7L, value.toInt) })
    assert((97001 until 100000).forall(n => kept.contains(Chunk.id(7L, n))))
    assert(kept.size <= Chunk.Rows + 2000)
  }

  test("marks are gathered, and what is put twice is written once") {
    val entries = new Entries
    val journal = new BatchJournal(entries, 7L)
    for (n <- 0 until 10) {
      journal.add(Seq(Chunk.ofMarks(Side.R, 7L, n.toLong, Array(n.toLong, 100L + n))))
      journal.put(Chunk.ofWatermark(n.toLong))
    }
    journal.write()
    val marks = entries.all(ChunkKey(Chunk.LeftMarks, 7L, 0))
    assert(Chunk.ids(marks.content).toSeq == (0 until 10).flatMap(n => Seq(n.toLong, 100L + n)))
    assert(marks.count == 20 && marks.latest == 9)
    assert(entries.all(Chunk.WatermarkKey).latest == 9 && entries.all.size == 2)
  }
}

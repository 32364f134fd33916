package io.scalegate.spark.join.stream.state

import java.util.Arrays

import scala.collection.mutable

import io.scalegate.stream.{Side, Sides}

/** Gathers what the parts of one batch add to the checkpoint, so that the batch's end writes few large entries and not
  * one for each part; rows that expired meanwhile are not written. The rows of a side are named after the batch and
  * their number in it, see [[Chunk.id]]: they lie in chunks of [[Chunk.Rows]] rows, in the order in which they came.
  *
  * One thread, the task's. It holds the batch's rows that are of use, as bytes.
  *
  * @param store
  *   where all of it goes at the end
  */
final class BatchJournal(store: ChunkStore, batch: Long) extends ChunkStore {
  import BatchJournal._

  private[this] val gathered = mutable.LinkedHashMap.empty[Int, Gathered]
  private[this] val single = mutable.LinkedHashMap.empty[ChunkKey, Chunk]
  private[this] var names = Sides(0, 0)

  def put(chunk: Chunk): Unit = single(chunk.key) = chunk

  override def name(side: Side, rows: Int): Unit =
    names = Sides.each(s => if (s eq side) rows else names(s))

  /** What was put and is taken back was never in the checkpoint. */
  def remove(key: ChunkKey): Unit = if (single.remove(key).isEmpty) store.remove(key)

  def chunks: Iterator[Chunk] = store.chunks

  override def add(chunks: Seq[Chunk]): Vector[(ChunkKey, Long)] = {
    chunks.foreach { c =>
      gathered.getOrElseUpdate(c.key.kind, new Gathered(c.key.kind, batch)).add(c)
    }
    Vector.empty
  }

  override def evict(side: Side, upTo: Long): Unit =
    kindsOf(side).foreach(gathered.get(_).foreach(_.evict(upTo)))

  /** Rows of this side that have a number, those evicted included. */
  def named(side: Side): Int =
    gathered.get(Chunk.ofSide(side).rows).fold(names(side))(rows =>
      math.max(rows.count, names(side))
    )

  /** Bytes that it holds. */
  def bytes: Long = gathered.valuesIterator.map(_.bytes).sum

  /** Writes all that is of use still, and gives the entries of each side. Once, at the batch's end. */
  def write(): Side => Vector[(ChunkKey, Long)] = {
    single.valuesIterator.foreach(store.put)
    val written = gathered.map { case (kind, g) => kind -> store.add(g.chunks) }
    side => kindsOf(side).flatMap(written.getOrElse(_, Vector.empty)).toVector
  }

  private[this] def kindsOf(side: Side) = {
    val kinds = Chunk.ofSide(side)
    Seq(kinds.rows, kinds.marks, kinds.unmatchable, kinds.waiting)
  }
}

private object BatchJournal {

  /** Of one kind of entries: parts of so many rows, or marks, the last of which grows. */
  final private class Gathered(kind: Int, batch: Long) {
    private[this] val isMarks = kind == Chunk.LeftMarks || kind == Chunk.RightMarks
    private[this] val parts = mutable.ArrayBuffer.empty[Part]
    private[this] var next = 0 // the number of the part that comes next
    private[this] var evicted = Long.MinValue

    /** Rows, or marks, that were added. */
    var count = 0

    def bytes: Long = parts.iterator.map(_.content.length.toLong).sum

    def add(chunk: Chunk): Unit = {
      var (from, rows) = (0, chunk.count.toInt)
      while (rows > 0) {
        val part = open()
        val taken = math.min(rows, Chunk.Rows - part.rows)
        val until =
          if (taken == rows) chunk.content.length
          else if (isMarks) from + taken * java.lang.Long.BYTES
          else Chunk.endOfRows(chunk.content, from, taken)
        part.add(chunk.content, from, until, taken, chunk.latest)
        from = until
        rows -= taken
        count += taken
      }
    }

    private[this] def open(): Part = {
      if (parts.isEmpty || parts.last.rows == Chunk.Rows) {
        parts += new Part(next)
        next += 1
      }
      parts.last
    }

    /** A part that is not full yet stays: more rows come into it. */
    def evict(upTo: Long): Unit = {
      evicted = upTo
      if (parts.exists(_.isGone(upTo))) parts.filterInPlace(!_.isGone(upTo))
    }

    def chunks: Seq[Chunk] = parts.iterator.filter(_.latest > evicted).map { p =>
      Chunk(
        ChunkKey(kind, batch, p.number),
        p.latest,
        p.rows.toLong,
        Arrays.copyOf(p.content, p.size)
      )
    }.toSeq
  }

  final private class Part(val number: Int) {
    var rows = 0
    var size = 0 // bytes
    var latest = Long.MinValue
    var content = Array.emptyByteArray

    def isGone(upTo: Long): Boolean = rows == Chunk.Rows && latest <= upTo

    def add(from: Array[Byte], first: Int, until: Int, more: Int, time: Long): Unit = {
      val added = until - first
      if (size + added > content.length)
        content = Arrays.copyOf(content, math.max(size + added, 2 * size))
      System.arraycopy(from, first, content, size, added)
      size += added
      rows += more
      latest = math.max(latest, time)
    }
  }
}

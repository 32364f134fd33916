package io.scalegate.spark.join.lookup

import java.util.Arrays
import java.util.stream.IntStream

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.scalegate.StorageMemory

import io.scalegate.lookup.RowIndex
import io.scalegate.spark.rows.{AttributeReader, IndexBy, IndexedRows, RowStore}
import io.scalegate.stream.Side

/** Builds the index of broadcast rows from the bytes that they are packed in: no row becomes an object. The rows are
  * copied in the index's order, in which they are read faster, if there is memory for it, and else read where they lie.
  *
  * The task that needs the index calls it, and the JVM's common pool helps. It reserves memory before it uses any.
  *
  * @param columns
  *   of a row
  * @param reader
  *   makes a reader of the rows' attributes; each thread has its own
  * @param reserve
  *   takes so many bytes of the executor's memory, if there are as many
  */
final private[scalegate] class PackedIndex(
    packed: Array[InternalRow],
    columns: Int,
    reader: () => AttributeReader,
    by: IndexBy,
    reserve: Long => Option[StorageMemory]
) {
  /*
   * Tasks that wait for the index leave the JVM's other cores idle, so each of these takes a share of the chunks. A
   * share writes its rows' addresses and attributes where they would lie if no row of the shares before had a NULL;
   * then the gaps are closed.
   */
  private[this] val chunks = packed.map(_.asInstanceOf[UnsafeRow])
  private[this] val sizes = chunks.map(PackedRows.rowsIn)
  private[this] val total = sizes.sum
  private[this] val bytes = chunks.map(_.getSizeInBytes.toLong).sum
  private[this] val width = by.types.length // attributes of a row

  /** None if there is no memory for it, or there are more rows than an index numbers. */
  def build(side: Side): Option[BuiltIndex] =
    if (total > MostRows) None
    else {
      val least = total * (BytesWhileBuilt + width * BytesOfAttribute)
      val (copied, inPlace) = (reserve(least + bytes), () => reserve(least))
      copied.orElse(inPlace()).map { memory =>
        try {
          val index = built(side, copied.nonEmpty)
          memory.shrinkTo(total * (BytesHeld + width * 8L) + (if (copied.isEmpty) 0L else bytes))
          BuiltIndex(index, memory)
        } catch {
          case e: Throwable =>
            memory.release()
            throw e
        }
      }
    }

  private[this] def built(side: Side, copied: Boolean): IndexedRows = {
    val addresses = new Array[Long](total.toInt)
    val keys = Array.fill(width)(new Array[Long](total.toInt))
    val shares = sharesOf(Runtime.getRuntime.availableProcessors)
    IntStream.range(0, shares.length).parallel.forEach(i => shares(i).read(addresses, keys))
    val count = joined(shares, addresses +: keys)
    val bases = chunks.map(_.getBaseObject)
    val index = by.index(
      side,
      keys.toVector.map(Arrays.copyOf(_, count)),
      (row, n) =>
        RowStore.point(
          row,
          bases(AddressedRows.chunk(addresses(n))),
          AddressedRows.offset(addresses(n))
        )
    )
    val inPlace = new AddressedRows(index, columns, bases, addresses)
    if (copied) IndexedRows.copied(inPlace, sizeOfAll(shares), _.parallel) else inPlace
  }

  private[this] def sharesOf(threads: Int): Array[Share] = {
    val perShare = math.max(1, (chunks.length + threads - 1) / threads)
    val parts = chunks.indices.grouped(perShare).toArray
    val starts = parts.map(_.map(sizes(_)).sum).scanLeft(0L)(_ + _)
    parts.zip(starts).map { case (part, start) => new Share(part, start.toInt) }
  }

  /** Closes the gaps between the shares' rows; how many these are. */
  private[this] def joined(shares: Array[Share], arrays: Array[Array[Long]]): Int =
    shares.foldLeft(0) { (until, share) =>
      if (until < share.from)
        arrays.foreach(a => System.arraycopy(a, share.from, a, until, share.rows))
      until + share.rows
    }

  /** The size of each row, if all are of one. */
  private[this] def sizeOfAll(shares: Array[Share]): Option[Int] =
    shares.toSeq.filter(_.rows > 0).map(_.size).distinct match {
      case Seq(one) => one
      case _ => None
    }

  /** What one thread reads.
    *
    * @param from
    *   where its first row goes
    */
  final private[this] class Share(part: Seq[Int], val from: Int) {
    private[this] val attributes = reader()
    private[this] val row = new UnsafeRow(columns)
    private[this] var at = from
    private[this] var firstSize = 0
    private[this] var even = true

    /** That can match anything. */
    def rows: Int = at - from

    /** Of each row, if all are of one. */
    def size: Option[Int] = Option.when(even)(firstSize)

    def read(addresses: Array[Long], keys: Array[Array[Long]]): Unit = part.foreach { c =>
      val base = chunks(c).getBaseObject
      var offset = PackedRows.firstRow(chunks(c))
      var left = sizes(c)
      while (left > 0) {
        RowStore.point(row, base, offset)
        if (attributes.read(row)) add(AddressedRows.address(c, offset), addresses, keys)
        offset += row.getSizeInBytes + PackedRows.Word
        left -= 1
      }
    }

    private[this] def add(
        address: Long,
        addresses: Array[Long],
        keys: Array[Array[Long]]
    ): Unit = {
      if (at == from) firstSize = row.getSizeInBytes else even &&= row.getSizeInBytes == firstSize
      addresses(at) = address
      var i = 0
      while (i < keys.length) {
        keys(i)(at) = attributes.keys(i)
        i += 1
      }
      at += 1
    }
  }

  /** Of each row its address and its number, twice while they are sorted. */
  private[this] val BytesWhileBuilt = 40L

  private[this] val BytesHeld = 12L

  /** It is read, copied and sorted. */
  private[this] val BytesOfAttribute = 24L

  /** What arrays hold. */
  private[this] val MostRows = 1L << 30
}

/** Rows that lie where they were packed.
  *
  * @param chunks
  *   in which they lie
  * @param addresses
  *   of each row, by its number before they were sorted, the chunk's number and where in it the row begins
  */
final private[scalegate] class AddressedRows(
    index: RowIndex,
    columns: Int,
    chunks: Array[AnyRef],
    addresses: Array[Long]
) extends IndexedRows(index, columns) {
  def point(row: UnsafeRow, number: Int): Unit =
    RowStore.point(row, base(number), offset(number))

  def base(number: Int): AnyRef = chunks(AddressedRows.chunk(addresses(index.order(number))))

  def offset(number: Int): Long = AddressedRows.offset(addresses(index.order(number)))
}

private[scalegate] object AddressedRows {

  /** Both in one number: an array's offsets take 32 bits. */
  def address(chunk: Int, offset: Long): Long = (chunk.toLong << 32) | offset

  def chunk(address: Long): Int = (address >>> 32).toInt

  def offset(address: Long): Long = address & 0xffffffffL
}

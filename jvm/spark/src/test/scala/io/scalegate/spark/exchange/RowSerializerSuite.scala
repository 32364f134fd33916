package io.scalegate.spark.exchange

import java.io.{
  ByteArrayInputStream,
  ByteArrayOutputStream,
  EOFException,
  InputStream,
  SequenceInputStream
}

import scala.util.Random

import org.apache.spark.sql.catalyst.expressions.{GenericInternalRow, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

final class RowSerializerSuite extends AnyFunSuite {
  private val fixed = Seq(LongType, IntegerType, DoubleType, DecimalType(18, 2))
  private val wide = Seq.fill(1200)(LongType)
  private val texts = Seq(IntegerType, StringType)

  private def bytesOf(types: Seq[DataType], rows: Seq[UnsafeRow], flushes: Boolean = false) = {
    val size = new SQLMetric("size")
    val bytes = new ByteArrayOutputStream
    val out = new RowSerializer(types, size).newInstance().serializeStream(bytes)
    rows.foreach { row =>
      out.writeKey(3).writeValue(row)
      if (flushes) out.flush()
    }
    out.close()
    assert(size.value == rows.map(_.getSizeInBytes.toLong).sum)
    bytes.toByteArray
  }

  private def rowsOf(types: Seq[DataType], in: InputStream): Seq[UnsafeRow] =
    new RowSerializer(types, new SQLMetric("size")).newInstance().deserializeStream(in)
      .asKeyValueIterator.map(_._2.asInstanceOf[UnsafeRow].copy()).toVector

  private def randomRows(types: Seq[DataType], number: Int, length: Int): Seq[UnsafeRow] = {
    val random = new Random(17)
    val toBytes = UnsafeProjection.create(types.toArray[DataType])
    Seq.fill(number) {
      val values = types.map[Any] {
        case _ if random.nextInt(10) == 0 => null
        case LongType => random.nextLong()
        case IntegerType => random.nextInt()
        case DoubleType => random.nextDouble()
        case d: DecimalType => Decimal(random.nextInt().toLong, d.precision, d.scale)
        case _ => UTF8String.fromString("ä" * random.nextInt(length))
      }
      toBytes(new GenericInternalRow(values.toArray)).copy()
    }
  }

  /** Gives a few bytes at a time, as streams of files and of compressed blocks may. */
  private class InPieces(bytes: Array[Byte]) extends ByteArrayInputStream(bytes) {
    private[this] var reads = 0
    override def read(to: Array[Byte], from: Int, length: Int): Int = {
      reads += 1
      super.read(to, from, math.min(length, 1 + reads % 701))
    }
  }

  for {
    (name, types, number, length) <- Seq(
      ("no rows", fixed, 0, 0),
      ("rows of a fixed width", fixed, 5000, 0),
      ("rows of a fixed width that fill more than a buffer each", wide, 20, 0),
      ("rows of any width", texts, 5000, 50),
      ("rows of any width, some of which fill many buffers", texts, 60, 100000),
      ("rows without columns", Nil, 1000, 0)
    )
  } {
    val rows = randomRows(types, number, length)

    test(s"$name are read as they were written") {
      val bytes = bytesOf(types, rows)
      assert(rowsOf(types, new ByteArrayInputStream(bytes)) == rows)
      assert(rowsOf(types, new InPieces(bytes)) == rows)
    }

    test(s"$name are valid until the next is asked for, whether or not there is one") {
      val in = new InPieces(bytesOf(types, rows))
      val read =
        new RowSerializer(types, new SQLMetric("size")).newInstance().deserializeStream(in)
          .asKeyValueIterator
      rows.zipWithIndex.foreach { case (row, i) =>
        val found = read.next()._2
        assert(read.hasNext == (i < rows.size - 1))
        assert(found == row)
      }
    }

    test(s"$name, flushed one by one, lie as they do otherwise") {
      assert(bytesOf(types, rows, flushes = true).sameElements(bytesOf(types, rows)))
    }

    test(s"$name: streams one behind the other are a stream, in any order of their rows") {
      val (first, second) = rows.splitAt(rows.size / 3)
      def in(part: Seq[UnsafeRow]) = new ByteArrayInputStream(bytesOf(types, part))
      val read = rowsOf(types, new SequenceInputStream(in(second), in(first)))
      assert(read == second ++ first)
    }
  }

  test("rows of a fixed width lie without anything between them") {
    val rows = randomRows(fixed, 100, 0)
    assert(bytesOf(fixed, rows).length == rows.map(_.getSizeInBytes).sum)
  }

  for ((name, types, number) <- Seq(("a fixed", fixed, 100), ("any", texts, 100)))
    test(s"a stream of rows of $name width that ends within a row is an error") {
      val bytes = bytesOf(types, randomRows(types, number, 50))
      for (missing <- Seq(1, 7, 9, bytes.length - 3))
        assertThrows[EOFException](
          rowsOf(types, new ByteArrayInputStream(bytes, 0, bytes.length - missing))
        )
    }

  test("the stream below is closed when its rows are through, and before") {
    var closed = 0
    def in = new ByteArrayInputStream(bytesOf(fixed, randomRows(fixed, 3, 0))) {
      override def close(): Unit = closed += 1
    }
    assert(rowsOf(fixed, in).size == 3)
    assert(closed > 0)
    closed = 0
    val early =
      new RowSerializer(fixed, new SQLMetric("size")).newInstance().deserializeStream(in)
    early.asKeyValueIterator.next()
    early.close()
    assert(closed == 1)
  }
}

package io.scalegate.spark.rows

import scala.util.Random

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.types.{BinaryType, DataType, LongType}
import org.scalatest.funsuite.AnyFunSuite

final class RowStoreSuite extends AnyFunSuite {
  private val project = UnsafeProjection.create(Array[DataType](LongType, BinaryType))

  /** A row of this number, with so many bytes in its second column. */
  private def row(number: Int, bytes: Int): UnsafeRow = {
    val content = new Array[Byte](bytes)
    new Random(number).nextBytes(content)
    project(InternalRow(number.toLong, content))
  }

  private def check(sizes: Seq[Int], expected: Int): Unit = {
    val store = new RowStore(2, expected)
    val early = Seq.newBuilder[(Int, UnsafeRow)]
    for ((bytes, number) <- sizes.zipWithIndex) {
      store.add(row(number, bytes))
      if (number % 100 == 0) early += number -> store.row(number)
    }
    assert(store.size == sizes.length)
    val pointed = new UnsafeRow(2)
    val placed = new UnsafeRow(2)
    for ((bytes, number) <- sizes.zipWithIndex) {
      val wanted = row(number, bytes)
      store.point(pointed, number)
      RowStore.point(placed, store.base(number), store.offset(number))
      assert(pointed == wanted && placed == wanted && store.row(number) == wanted)
    }
    for ((number, pointed) <- early.result())
      assert(pointed == row(number, sizes(number)), "a row stays valid while others come")
    assert(store.bytes == sizes.zipWithIndex.map { case (bytes, n) =>
      row(n, bytes).getSizeInBytes + 8L
    }.sum)
  }

  for (expected <- Seq(0, 1, 16, 5000, 1 << 20)) {
    test(s"rows of one size, $expected expected") {
      check(Seq.fill(20000)(8), expected)
      check(Seq.fill(20)(100000), expected)
      check(Seq.fill(5)(300000), expected)
    }

    test(s"rows of one size, then of others, $expected expected") {
      for (alike <- Seq(1, 15, 16, 17, 4000, 8192)) {
        val random = new Random(alike)
        check(Seq.fill(alike)(16) ++ Seq.fill(500)(8 * random.nextInt(2000)), expected)
      }
    }
  }

  test("few rows take little room") {
    val store = new RowStore(2)
    for (number <- 0 until 16) store.add(row(number, 8))
    val chunk = store.base(0).asInstanceOf[Array[Byte]]
    assert(chunk.length == store.bytes && (store.base(15) eq chunk))
  }
}

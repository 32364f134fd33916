package io.scalegate.spark.window.partial

import scala.collection.mutable
import scala.util.Random

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

/** Random updates against a map by key and pane, and what is packed read back bit by bit. */
final class PaneTableSuite extends AnyFunSuite {
  private val random = new Random(29)
  private val keyOf = UnsafeProjection.create(Array[DataType](StringType))
  private val pairOf = UnsafeProjection.create(Array[DataType](LongType, LongType))

  private type Model = mutable.HashMap[(String, Long), (Long, Long)]

  /** A count, and a sum that begins at 7. */
  private def add(
      table: PaneTable,
      model: Model,
      key: String,
      paneNumber: Long,
      value: Long
  ): Unit = {
    val result = new UnsafeRow(2)
    table.point(result, keyOf(InternalRow(UTF8String.fromString(key))), paneNumber)
    val (count, sum) = model.getOrElse((key, paneNumber), (0L, 7L))
    assert((result.getLong(0), result.getLong(1)) == ((count, sum)))
    result.setLong(0, count + 1)
    result.setLong(1, sum + value)
    model((key, paneNumber)) = (count + 1, sum + value)
  }

  private def cells(table: PaneTable): Seq[Int] = {
    val all =
      Iterator.iterate(table.cellFrom(0))(i => table.cellFrom(i + 1)).takeWhile(_ >= 0).toSeq
    assert(all.size == table.size)
    all
  }

  private def read(table: PaneTable): Map[(String, Long), (Long, Long)] = {
    val (key, pair) = (new UnsafeRow(1), new UnsafeRow(2))
    val entries = cells(table).flatMap { i =>
      table.pointKey(key, i)
      val name = key.getUTF8String(0).toString
      val panes = table.panes(i)
      val bits = Platform.getLong(panes, Platform.BYTE_ARRAY_OFFSET)
      val numbers = (0 until 64).filter(b => (bits >>> b & 1) == 1).map(table.block(i) * 64 + _)
      assert(panes.length == 8 + numbers.size * 24)
      numbers.zipWithIndex.map { case (paneNumber, n) =>
        pair.pointTo(panes, Platform.BYTE_ARRAY_OFFSET + 8L + n * 24, 24)
        (name, paneNumber) -> ((pair.getLong(0), pair.getLong(1)))
      }
    }
    assert(entries.map(_._1).distinct.size == entries.size)
    entries.toMap
  }

  private def table() = new PaneTable(pairOf(InternalRow(0L, 7L)).copy())

  Seq[(String, Int, Int => Long)](
    ("in order", 50, i => i / 20L),
    ("in any order", 7, _ => random.nextInt(300) - 150L),
    ("far apart", 3000, _ => random.nextLong()),
    ("within one block", 2000, _ => random.nextInt(64).toLong)
  ).foreach { case (name, keys, paneNumber) =>
    test(s"every update is found where it was left: panes $name") {
      val tested = table()
      (1 to 3).foreach { _ =>
        val model: Model = mutable.HashMap.empty
        (0 until 20000).foreach { i =>
          add(
            tested,
            model,
            s"key ${random.nextInt(keys)}",
            paneNumber(i),
            random.nextInt(9).toLong
          )
        }
        assert(read(tested) == model.toMap)
        tested.clear()
        assert(tested.size == 0)
      }
    }
  }

  Seq(4 -> 12, 30000 -> 3).foreach { case (keys, times) =>
    test(s"keys of one number, and NULL among them: $keys") {
      val tested = table()
      val model = mutable.HashMap.empty[(Option[Int], Long), (Long, Long)]
      (0 until times * keys).foreach { i =>
        val key = Some(random.nextInt(keys) - keys / 2).filter(_ => random.nextInt(9) > 0)
        val paneNumber = random.nextInt(200) - 100L
        val result = new UnsafeRow(2)
        tested.point(result, key.isEmpty, KeyWord(key.getOrElse(0)), paneNumber)
        val (count, sum) = model.getOrElse((key, paneNumber), (0L, 7L))
        assert((result.getLong(0), result.getLong(1)) == ((count, sum)))
        result.setLong(0, count + 1)
        result.setLong(1, sum + i)
        model((key, paneNumber)) = (count + 1, sum + i)
      }
      val key = new UnsafeRow(1)
      val read = cells(tested).map { i =>
        tested.pointKey(key, i)
        (if (key.isNullAt(0)) None else Some(key.getInt(0)), tested.block(i))
      }
      val blocks = model.keySet.map { case (key, paneNumber) =>
        (key, PaneBlock.blockOf(paneNumber))
      }
      assert(read.size == blocks.size && read.toSet == blocks)
    }
  }

  test("a key given as a number and as a row has a result in each") {
    val tested = table()
    val numberOf = UnsafeProjection.create(Array[DataType](LongType))
    val result = new UnsafeRow(2)
    def add(): Unit = result.setLong(0, result.getLong(0) + 1)
    // The word of a key, and what a row's cell has in its place: a hash above, a place below.
    (0 until 3).foreach { _ =>
      (0L until 3000L).foreach { k =>
        val row = numberOf(InternalRow(k))
        tested.point(result, row, 1)
        add()
        tested.point(result, isNull = false, KeyWord(row.hashCode.toLong << 32), 1)
        add()
      }
    }
    assert(tested.size == 6000)
    cells(tested).foreach { i =>
      result.pointTo(tested.panes(i), Platform.BYTE_ARRAY_OFFSET + 8L, 24)
      assert(result.getLong(0) == 3)
    }
  }

  test("which keys are compared as numbers") {
    assert(Seq(IntegerType, LongType, DateType, TimestampType).forall(KeyWord.has))
    assert(!Seq(StringType, DoubleType, BooleanType, DecimalType(9, 2)).exists(KeyWord.has))
    assert(KeyWord(-1L) == -1L)
  }

  test("keys of any length, longer than an array of the table among them") {
    val tested = table()
    val model: Model = mutable.HashMap.empty
    val keys = Seq("", "a", "b" * 1000, "c" * 300000, "c" * 299999)
    (0 until 500).foreach(i => add(tested, model, keys(i % keys.size), i % 90L, i.toLong))
    assert(read(tested) == model.toMap)
  }

  test("the bytes that it says grow with what is held, and little beyond") {
    val tested = table()
    val model: Model = mutable.HashMap.empty
    val empty = tested.bytes
    (0 until 100000).foreach(i => add(tested, model, s"${i % 1000}", i / 1000L, 1L))
    val held = 100000L * 24
    assert(tested.bytes > held && tested.bytes < 3 * held)
    tested.clear()
    assert(tested.bytes == empty)
  }

  test("results of no columns") {
    val tested =
      new PaneTable(UnsafeProjection.create(Array.empty[DataType]).apply(InternalRow()))
    val result = new UnsafeRow(0)
    (0 until 1000).foreach { i =>
      tested.point(result, keyOf(InternalRow(UTF8String.fromString(s"${i % 3}"))), i % 70L)
    }
    assert(tested.size == 6)
    val bits =
      cells(tested).map(i => Platform.getLong(tested.panes(i), Platform.BYTE_ARRAY_OFFSET))
    assert(bits.map(b => java.lang.Long.bitCount(b)).sum == 210)
  }
}

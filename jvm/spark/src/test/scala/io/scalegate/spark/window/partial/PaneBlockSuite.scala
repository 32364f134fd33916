package io.scalegate.spark.window.partial

import scala.collection.immutable.SortedMap
import scala.util.Random

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.aggregate.Sum
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, UnsafeProjection}
import org.apache.spark.sql.types.{DataType, LongType}
import org.apache.spark.unsafe.Platform
import org.scalatest.funsuite.AnyFunSuite

/** Blocks put together and taken apart in random ways, against a map of sums. */
final class PaneBlockSuite extends AnyFunSuite {
  private val random = new Random(43)
  private val sum = Sum(AttributeReference("v", LongType)()).toAggregateExpression()
  private val partials = new FixedPartials(0, PaneFunctions(Nil, Seq(sum), Nil))
  private val row = UnsafeProjection.create(Array.fill[DataType](partials.columns)(LongType))

  private type Sums = SortedMap[Int, Long]

  private def packed(sums: Sums): Array[Byte] = {
    val bits = sums.keys.map(1L << _).foldLeft(0L)(_ | _)
    val made = new Array[Byte](8 + sums.size * partials.resultBytes)
    Platform.putLong(made, Platform.BYTE_ARRAY_OFFSET, bits)
    sums.values.zipWithIndex.foreach { case (value, i) =>
      row(InternalRow(value)).writeToMemory(made, PaneBlock.First + i * partials.resultBytes)
    }
    made
  }

  private def some(): Sums = SortedMap.from(
    (0 until 64).filter(_ => random.nextInt(4) == 0).map(_ -> random.nextLong(100L))
  ) + (random.nextInt(64) -> 1L)

  private def merged(all: Seq[Sums]): Sums = all.foldLeft(SortedMap.empty[Int, Long]) { (a, b) =>
    a ++ b.map { case (i, v) => i -> (v + a.getOrElse(i, 0L)) }
  }

  test("what is put together comes out, taken, packed and dropped in any order") {
    val block = new PaneBlock(partials)
    var lent = Vector.empty[(() => Long, Long)]
    (0L until 3000L).foreach { n =>
      val number = random.nextInt(9) - 4L
      val parts = Seq.fill(1 + random.nextInt(3))(some())
      block.begin(number)
      parts.foreach(p => block.add(packed(p)))
      var rest = merged(parts)
      while (rest.nonEmpty) {
        assert(!block.isEmpty && block.paneNumber == number * 64 + rest.firstKey)
        random.nextInt(4) match {
          case 0 =>
            val result = block.take()
            lent :+= ((() => result.getLong(0), rest.head._2))
            rest = rest.tail
          case 1 =>
            block.drop()
            rest = rest.tail
          case 2 =>
            var numbers = Seq.empty[Long]
            block.foreachNumber(p => numbers :+= p)
            assert(numbers == rest.keysIterator.map(number * 64 + _).toSeq)
          case _ =>
            val bits = if (random.nextBoolean()) -1L else random.nextLong()
            val (taken, left) = rest.partition { case (i, _) => (bits >>> i & 1) == 1 }
            assert(block.takeAll(bits).toSeq == packed(taken).toSeq, n)
            rest = left
        }
      }
      assert(block.isEmpty)
      if (n % 100 == 0) {
        lent.foreach { case (found, value) => assert(found() == value) }
        lent = Vector.empty
      }
    }
  }

  test("a row of the wrong length is refused") {
    val block = new PaneBlock(partials)
    block.begin(0)
    val e = intercept[IllegalStateException](block.add(packed(some()) :+ 0.toByte))
    assert(e.getMessage.contains("a block of"))
  }
}

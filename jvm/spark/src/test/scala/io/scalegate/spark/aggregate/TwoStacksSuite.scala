package io.scalegate.spark.aggregate

import scala.util.Random

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.types.{DataType, StringType}
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

/** Two stacks against the panes themselves; texts are joined, so that an order lost would show. */
final class TwoStacksSuite extends AnyFunSuite {
  private val project = UnsafeProjection.create(Array[DataType](StringType))

  private def row(text: String): UnsafeRow =
    project(InternalRow(UTF8String.fromString(text))).copy()

  private def text(row: UnsafeRow): String =
    if (row eq null) "" else row.getUTF8String(0).toString

  private def stacks = new TwoStacks((older, newer) => row(text(older) + text(newer)))

  test("the window's panes are merged in their order, whatever comes and goes") {
    val random = new Random(3)
    (1 to 200).foreach { _ =>
      val tested = stacks
      var held = Vector.empty[Long]
      var next = 0L
      (1 to 60).foreach { _ =>
        if (random.nextInt(3) > 0) {
          next += 1 + random.nextInt(3)
          tested.push(next, row(s"$next,"))
          held :+= next
        } else {
          val until = held.headOption.fold(next)(_ + random.nextInt(6))
          tested.evictBefore(until)
          held = held.filter(_ >= until)
        }
        assert(tested.isEmpty == held.isEmpty)
        assert((tested.bytes == 0) == held.isEmpty)
        assert(tested.size == held.size)
        if (held.nonEmpty)
          assert(text(tested.older) + text(tested.newer) == held.mkString("", ",", ","))
      }
    }
  }

  test("a pane is merged at most twice, however many windows it is in") {
    val tested = stacks
    val panes = 1000
    (1 to panes).foreach { i =>
      tested.push(i.toLong, row("."))
      tested.evictBefore(i - 49L)
    }
    assert(tested.merges <= 2 * panes)
    assert(tested.peak == 51)
  }
}

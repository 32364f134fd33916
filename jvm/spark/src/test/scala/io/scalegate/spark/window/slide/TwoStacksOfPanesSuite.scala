package io.scalegate.spark.window.slide

import scala.util.Random

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.types.{DataType, LongType, StringType}
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

import io.scalegate.spark.window.partial.PaneMerging

/** Two stacks against the panes themselves, with results that show the order in which they were merged. */
final class TwoStacksOfPanesSuite extends AnyFunSuite {

  /** Texts, which are joined. */
  private object Texts extends PaneMerging {
    private val project = UnsafeProjection.create(Array[DataType](StringType))

    def row(text: String): UnsafeRow = project(InternalRow(UTF8String.fromString(text))).copy()
    def text(row: UnsafeRow): String = row.getUTF8String(0).toString

    override def changeable(partial: UnsafeRow): UnsafeRow = partial
    override def mergeInto(older: UnsafeRow, newer: UnsafeRow): UnsafeRow =
      row(text(older) + text(newer))
  }

  /** Polynomials of the panes' numbers and their degree, merged where they lie. */
  private object Polynomials extends PaneMerging {
    private val project = UnsafeProjection.create(Array[DataType](LongType, LongType))

    def row(number: Long): UnsafeRow = project(InternalRow(number, 31L)).copy()

    override def changeable(partial: UnsafeRow): UnsafeRow = partial.copy()
    override def mergeInto(older: UnsafeRow, newer: UnsafeRow): UnsafeRow = {
      older.setLong(0, older.getLong(0) * newer.getLong(1) + newer.getLong(0))
      older.setLong(1, older.getLong(1) * newer.getLong(1))
      older
    }
  }

  private case class Kind(name: String, merging: PaneMerging, row: Long => UnsafeRow)

  Seq(
    Kind("made anew", Texts, pane => Texts.row(s"$pane,")),
    Kind("in their place", Polynomials, Polynomials.row)
  ).foreach { kind =>
    test(s"the window's panes are merged ${kind.name} in their order, whatever comes and goes") {
      val random = new Random(3)
      (1 to 200).foreach { _ =>
        val tested = new TwoStacksOfPanes(kind.merging)
        var held = Vector.empty[Long]
        var next = 0L
        (1 to 60).foreach { _ =>
          if (random.nextInt(3) > 0) {
            next += 1 + random.nextInt(3)
            tested.push(next, kind.row(next))
            held :+= next
          } else if (random.nextInt(20) == 0) {
            tested.clear()
            held = Vector.empty
          } else {
            val until = held.headOption.fold(next)(_ + random.nextInt(6))
            tested.evictBefore(until)
            held = held.filter(_ >= until)
          }
          assert(tested.isEmpty == held.isEmpty)
          assert((tested.bytes == 0) == held.isEmpty)
          assert(tested.size == held.size)
          if (held.nonEmpty) {
            val expected = held.map(kind.row).reduceLeft(kind.merging.mergeInto)
            val merged = Option(tested.newer)
              .foldLeft(tested.older.copy())(kind.merging.mergeInto)
            assert(merged == expected)
          }
        }
      }
    }
  }

  test("a pane is merged at most twice, however many windows it is in") {
    val tested = new TwoStacksOfPanes(Texts)
    val panes = 1000
    (1 to panes).foreach { i =>
      tested.push(i.toLong, Texts.row("."))
      tested.evictBefore(i - 49L)
    }
    assert(tested.merges <= 2 * panes)
    assert(tested.peak == 51)
  }
}

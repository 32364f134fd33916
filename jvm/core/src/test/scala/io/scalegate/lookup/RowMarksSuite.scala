package io.scalegate.lookup

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

/** Sets and their copies, against sets of the library. */
final class RowMarksSuite extends AnyFunSuite with ScalaCheckPropertyChecks {
  private val rows = Gen.listOf(Gen.oneOf(
    Gen.choose(0, 100),
    Gen.choose(0, 10000),
    Gen.oneOf(0, 63, 64, 2047, 2048, 4095, 1000000, 5000000)
  ))

  private def assertSame(marks: RowMarks, added: Set[Int], probes: Iterable[Int]): Unit =
    probes.foreach(row => assert(marks.contains(row) == added(row), s"row $row"))

  test("a set has the rows that were added, and no others") {
    forAll(rows, rows) { (added, others) =>
      val marks = new RowMarks
      added.foreach(marks.add)
      assertSame(marks, added.toSet, added ++ others ++ added.map(_ + 1))
    }
  }

  test("what is added to a copy, and to a copy of that, changes none before it") {
    forAll(rows, rows, rows) { (first, second, third) =>
      val marks = new RowMarks
      first.foreach(marks.add)
      val copy = marks.copy()
      second.foreach(copy.add)
      val last = copy.copy()
      third.foreach(last.add)
      val probes = first ++ second ++ third
      assertSame(marks, first.toSet, probes)
      assertSame(copy, (first ++ second).toSet, probes)
      assertSame(last, probes.toSet, probes)
    }
  }
}

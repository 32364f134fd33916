package io.scalegate.multiway.function

import org.scalatest.funsuite.AnyFunSuite

class DifferenceColumnsSuite extends AnyFunSuite {
  test("a number beyond an int is carried, up and down") {
    val columns = new DifferenceColumns(4)
    val big = Int.MaxValue
    val keys = 40 // more than a column has at first
    for (key <- 0 until keys; _ <- 0 to 5) columns.change(key, 0, big)
    for (key <- 0 until keys; _ <- 0 to 4) columns.change(key, 2, -big)
    for (key <- 0 until keys) columns.change(key, 3, Int.MinValue)
    val sums = new Array[Long](keys)
    val expected = Seq(6L * big, 6L * big, 1L * big, -1L)
    val numbers = Array.tabulate(keys)(keys - 1 - _)
    for ((sum, place) <- expected.zipWithIndex) {
      columns.moveTo(sums, place, keys, if (place % 2 == 0) null else numbers)
      assert(sums.forall(_ == sum), place)
    }
  }
}

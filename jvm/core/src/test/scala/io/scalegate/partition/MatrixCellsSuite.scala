package io.scalegate.partition

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import io.scalegate.band.CellBuffer
import io.scalegate.stream.Side

/** Each pair of rows meets in exactly one cell. */
final class MatrixCellsSuite extends AnyFunSuite with ScalaCheckPropertyChecks {
  private def matrix(rows: Int, columns: Int): MatrixCells =
    MatrixCells(MatrixLayout(rows, columns), Vector.tabulate(rows * columns)(_ * 10L + 3))

  private def cells(matrix: MatrixCells, side: Side, number: Long): Seq[Long] = {
    val buffer = new CellBuffer
    matrix.cells(side, number, buffer)
    (0 until buffer.size).map(buffer(_))
  }

  private val number =
    Gen.oneOf(Gen.choose(-100L, 100L), Gen.oneOf(Long.MinValue, Long.MaxValue))

  test("a pair meets once, and a row has as many copies as it is said to have") {
    forAll(Gen.choose(1, 9), Gen.choose(1, 9), number, number) { (rows, columns, r, s) =>
      val m = matrix(rows, columns)
      val (ofR, ofS) = (cells(m, Side.R, r), cells(m, Side.S, s))
      assert(ofR.intersect(ofS).size == 1)
      assert(ofR.distinct.size == columns && m.copies(Side.R) == columns)
      assert(ofS.distinct.size == rows && m.copies(Side.S) == rows)
      assert((ofR ++ ofS).forall(m.ids.contains))
    }
  }

  test("rows with consecutive numbers fill all cells alike") {
    for (side <- Seq(Side.R, Side.S); first <- Seq(0L, -5L, Long.MaxValue - 11)) {
      val m = matrix(3, 4)
      val filled = (0 until 12).flatMap(i => cells(m, side, first + i)).groupBy(identity)
      assert(filled.keySet == m.ids.toSet)
      assert(filled.values.map(_.size).toSet.size == 1)
    }
  }

  test("ids that are too few, or not different, are refused") {
    for (ids <- Seq(Vector(1L, 2L, 3L), Vector(1L, 2L, 3L, 3L)))
      intercept[IllegalArgumentException](MatrixCells(MatrixLayout(2, 2), ids))
  }
}

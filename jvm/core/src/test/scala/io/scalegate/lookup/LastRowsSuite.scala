package io.scalegate.lookup

import java.util.SplittableRandom

import org.scalatest.funsuite.AnyFunSuite

import io.scalegate.band.AttributeType

/** The window of the last rows against the end of a list of all rows. */
class LastRowsSuite extends AnyFunSuite {
  import AttributeType._

  final private class Row(val attrs: Vector[Long])

  for (shape <- Seq(Vector.empty, Vector(Int32), Vector(Int64, Int32)); rows <- Seq(1, 7, 500))
    test(s"the last $rows rows with (${shape.mkString(", ")}) that lie within ranges are found") {
      val random = new SplittableRandom(11)
      val window = new LastRows(shape, rows.toLong)
      for (_ <- 0 until 20) {
        var all = Vector.empty[Row]
        for (_ <- 0 until random.nextInt(1200)) {
          val row = new Row(shape.map(_ => random.nextInt(10).toLong))
          val left = window.add(row.attrs.toArray, row)
          assert(Option(left) == all.takeRight(rows).headOption.filter(_ => all.size >= rows))
          all :+= row
          assert(window.size == math.min(all.size, rows))
          if (random.nextInt(20) == 0) {
            val ranges = shape.flatMap { _ =>
              val a = random.nextInt(10).toLong
              Seq(a, a + random.nextInt(5))
            }.toArray
            val expected = all.takeRight(rows).filter(r =>
              r.attrs.indices.forall(i =>
                ranges(2 * i) <= r.attrs(i) && r.attrs(i) <= ranges(2 * i + 1)
              )
            )
            assert((0 until window.probe(ranges)).map(window.candidate) == expected)
          }
        }
        val rest = Iterator.continually(window.removeOldest()).takeWhile(_ != null).toSeq
        assert(rest == all.takeRight(rows) && window.size == 0)
      }
      assert(window.peak <= rows && window.comparisons > 0)
    }

  test("a window of no rows lets go of each row at once, and one of fewer is refused") {
    val window = new LastRows(Vector.empty, 0)
    for (row <- Seq("a", "b")) {
      assert(window.add(Array.empty, row) eq row)
      assert(window.probe(Array.empty) == 0 && window.size == 0 && window.removeOldest() == null)
    }
    assert(
      intercept[IllegalArgumentException](new LastRows(Vector.empty, -1)).getMessage.contains(
        "-1 rows"
      )
    )
  }
}

package io.scalegate.column

import java.lang.ref.WeakReference
import java.util.SplittableRandom

import scala.collection.mutable

import org.scalatest.funsuite.AnyFunSuite

import io.scalegate.band.AttributeType

class ColumnarWindowSuite extends AnyFunSuite {
  import AttributeType._

  private def contents(w: ColumnarWindow): Seq[(Long, AnyRef)] =
    (0 until w.size).map(i => (w.positionAt(w.slot(i)), w.rowAt(w.slot(i))))

  private def fill(w: ColumnarWindow, positions: Range): Unit =
    positions.foreach(p => w.append(p.toLong, Array.fill(w.width)(p.toLong), s"row $p"))

  test("rows come back in the order in which they went in, through wrap-around and growth") {
    val random = new SplittableRandom(3)
    val window = new ColumnarWindow(Vector(Int32, Int64))
    val model = mutable.Queue.empty[(Long, AnyRef)]
    var position = 0L
    for (step <- 1 to 5000) {
      position += random.nextInt(3)
      val row = s"row $step"
      window.append(position, Array(step.toLong, -step.toLong), row)
      model.enqueue((position, row))
      val bound = position - (if (step < 2500) 10 else 100) - random.nextInt(20)
      window.expireBefore(bound)
      model.dropWhileInPlace(_._1 < bound)
      assert(contents(window) == model.toSeq)
      val last = window.slot(window.size - 1)
      assert(window.ints(0)(last) == step && window.longs(1)(last) == -step)
    }
    assert(window.peak >= 90 && window.capacity < 256)
  }

  test("expiry is exclusive: a row at the bound stays") {
    val window = new ColumnarWindow(Vector.empty)
    fill(window, 1 to 5)
    window.expireBefore(3)
    assert(contents(window).map(_._1) == Seq(3L, 4L, 5L))
    window.expireBefore(Long.MaxValue)
    assert(window.isEmpty)
  }

  test("counting up to a position includes the position") {
    val window = new ColumnarWindow(Vector.empty)
    assert(window.countUpTo(5) == 0)
    Seq(1L, 3L, 3L, 3L, 8L).foreach(window.append(_, "row"))
    val expected = Map(0L -> 0, 1L -> 1, 2L -> 1, 3L -> 4, 7L -> 4, 8L -> 5, Long.MaxValue -> 5)
    for ((position, n) <- expected) assert(window.countUpTo(position) == n)
    assert(window.countUpTo(Long.MinValue) == 0)
  }

  test("an expired and a cleared row is no longer held") {
    def held(window: ColumnarWindow): WeakReference[AnyRef] = {
      val row = new Object
      window.append(1, row)
      new WeakReference(row)
    }
    def collected(reference: WeakReference[AnyRef]): Boolean = Iterator
      .continually(System.gc())
      .take(50)
      .exists(_ => reference.get == null)
    val window = new ColumnarWindow(Vector.empty)
    val expired = held(window)
    window.expireBefore(2)
    assert(collected(expired))
    val cleared = held(window)
    window.clear()
    assert(collected(cleared))
    assert(window.size == 0)
  }

  test("a window at its limit refuses one more row and says what to do") {
    val window = new ColumnarWindow(Vector(Int32), maxRows = 20)
    fill(window, 1 to 20)
    val e = intercept[WindowLimitException](fill(window, 21 to 21))
    assert(e.limit == 20 && e.getMessage.contains("20 rows") && e.getMessage.contains("narrow"))
    window.expireBefore(2)
    fill(window, 21 to 21)
    assert(window.size == 20 && window.peak == 20)
  }
}

package io.scalegate.matrix

import java.lang.ref.WeakReference

import org.scalatest.funsuite.AnyFunSuite

import io.scalegate.band.AttributeType
import io.scalegate.column.WindowProbe
import io.scalegate.gate.Threads
import io.scalegate.stream.{Side, StreamTuple}

/** A segment of a window, written by one thread and read by several. */
final class SegmentSuite extends AnyFunSuite {
  private val types = Vector(AttributeType.Int32, AttributeType.Int64)

  private def tuple(i: Long): StreamTuple =
    new StreamTuple(i, 0, i, Side.R, Array(i % 100, -i), s"row $i")

  private def takeAll(view: SegmentView): Unit = {
    view.refresh()
    while (view.nextOrdinal < Long.MaxValue) view.take()
  }

  test("a row that was appended is seen after a refresh, with what it was appended with") {
    val segment = new Segment(types, sharers = 1)
    val view = new SegmentView(segment, 0)
    segment.append(7, 3, tuple(3))
    assert(view.nextOrdinal == Long.MaxValue)
    view.refresh()
    assert(view.nextOrdinal == 7 && view.nextTuple.ts == 3 && view.size == 0)
    view.take()
    assert(view.size == 1 && view.taken == 1 && view.nextOrdinal == Long.MaxValue)
    assert(view.rowAt(view.slot(0)).ts == 3 && view.ordinalAt(view.slot(0)) == 7)
  }

  test("a row is dropped when its last sharer has passed it, and not before") {
    val segment = new Segment(types, sharers = 2)
    val views = Vector.tabulate(2)(new SegmentView(segment, _))
    def append(): WeakReference[AnyRef] = {
      val row = new Object
      segment.append(0, 0, new StreamTuple(0, 0, 0, Side.R, Array(1, 1), row))
      new WeakReference(row)
    }
    val row = append()
    def isHeld: Boolean = {
      System.gc()
      row.get != null
    }
    views.foreach(takeAll)
    views(0).expireBefore(1)
    views(0).publish()
    segment.release()
    assert(isHeld)
    views(1).expireBefore(1)
    segment.release()
    assert(isHeld, "the sharer has not yet said so")
    views(1).publish()
    segment.release()
    assert(Iterator.fill(50)(isHeld).contains(false))
  }

  test("rows that are dropped make room: a segment grows with its window, not with its stream") {
    val segment = new Segment(types, sharers = 2, initialRows = 4)
    val views = Vector.tabulate(2)(new SegmentView(segment, _))
    for (i <- 0L until 1000L) {
      segment.append(i, i, tuple(i))
      for (view <- views) {
        takeAll(view)
        view.expireBefore(i - 9)
        view.publish()
      }
      val places = (0 until views(0).size).map(k => views(0).rowAt(views(0).slot(k)).ts)
      assert(places == (math.max(i - 9, 0) to i))
    }
    assert(segment.rows.capacity == 16)
    assert(views(1).peak == 11)
  }

  test("counting up to a place includes the place, and before it does not") {
    val segment = new Segment(Vector.empty, sharers = 1)
    val view = new SegmentView(segment, 0)
    assert(view.countUpTo(5) == 0 && view.countBefore(5) == 0)
    Seq(1L, 3L, 3L, 3L, 8L).foreach(p => segment.append(p, p, tuple(p)))
    takeAll(view)
    for ((place, n) <- Seq(0L -> 0, 1L -> 1, 2L -> 1, 3L -> 4, 7L -> 4, Long.MaxValue -> 5))
      assert(view.countUpTo(place) == n)
    for ((place, n) <- Seq(Long.MinValue -> 0, 1L -> 0, 2L -> 1, 3L -> 1, 4L -> 4, 9L -> 5))
      assert(view.countBefore(place) == n)
  }

  test("sharers that search while the writer appends, grows and drops find what is in range") {
    val rows = 20000L
    val segment = new Segment(types, sharers = 3, initialRows = 4)
    def share(sharer: Int): () => Long = () => {
      val view = new SegmentView(segment, sharer)
      val probe = new WindowProbe(view)
      val patience = new Threads.Patience
      var found = 0L
      while (view.taken < rows) {
        patience.until { view.refresh(); view.nextOrdinal < Long.MaxValue }
        val i = view.nextOrdinal
        view.expireBefore(i - 150 * (sharer + 1))
        val count = probe.search(0, view.size, Array(i % 100, i % 100, -i, Long.MaxValue))
        for (k <- 0 until count) {
          val t = probe.slot(k)
          assert(view.rowAt(t).ts < i && (i - view.rowAt(t).ts) % 100 == 0)
        }
        found += count
        view.take()
        view.publish()
      }
      found
    }
    val writer = () => {
      val patience = new Threads.Patience
      for (i <- 0L until rows) {
        segment.append(i, i, tuple(i))
        segment.release()
        if (i % 256 == 0) patience.idle()
      }
      0L
    }
    // of `rows` tuples, each finds those 100, 200, ... before it that are in the sharer's window
    val expected = Seq(1, 3, 4).map(n => (1 to n).map(k => rows - 100L * k).sum)
    assert(Threads.run(writer +: Vector.tabulate(3)(share)).tail == expected)
  }
}

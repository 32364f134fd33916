package io.scalegate.panes

import scala.collection.mutable
import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import io.scalegate.Sample

/** Sliding rows against the rows themselves, with states that show the order in which rows were merged. */
final class SlidingRowsSuite extends AnyFunSuite {
  private type Row = (Long, Int) // time and number

  /** Blocks that can be read once, and know whether they were let go. */
  private class Blocks(random: Random) {
    var held = 0

    def next(least: Int): (RowBlock[Row], Int) = {
      held += 1
      // Some hold more than they were asked to.
      (new Kept, if (random.nextInt(3) == 0) least * 2 else least)
    }

    private class Kept extends RowBlock[Row] {
      private[this] val kept = mutable.ArrayBuffer.empty[Row]
      private[this] var isRead = false

      override def add(row: Row): Unit = {
        assert(!isRead)
        kept += row
      }

      override def rows: Iterator[Row] = {
        assert(!isRead)
        isRead = true
        kept.iterator
      }

      override def release(): Unit = held -= 1
    }
  }

  private object Texts extends RowStates[Row, String] {
    override def timeOf(row: Row): Long = row._1
    override def stateOf(row: Row): String = s"${row._2},"
    override def addTo(state: String, row: Row): String = state + stateOf(row)
    override def changeable(state: String): String = state
    override def mergeInto(older: String, newer: String): String = older + newer
    override def bytesOf(state: String): Int = state.length
  }

  /** The same, changed where they lie. */
  private object Buffers extends RowStates[Row, StringBuilder] {
    override def timeOf(row: Row): Long = row._1
    override def stateOf(row: Row): StringBuilder = new StringBuilder(s"${row._2},")
    override def addTo(state: StringBuilder, row: Row): StringBuilder =
      state.append(s"${row._2},")
    override def changeable(state: StringBuilder): StringBuilder =
      new StringBuilder(state.toString)
    override def mergeInto(older: StringBuilder, newer: StringBuilder): StringBuilder =
      older.append(newer)
    override def bytesOf(state: StringBuilder): Int = 1
  }

  private def evicted(rows: Vector[Row], start: Long, keepsLast: Boolean): Vector[Row] = {
    val (before, within) = rows.span(_._1 < start)
    if (keepsLast && !within.headOption.exists(_._1 == start)) before.takeRight(1) ++ within
    else within
  }

  /** @param steps
    *   rows that come between two evictions, at most
    */
  private def check[S <: AnyRef](
      states: RowStates[Row, S],
      keepsLast: Boolean,
      steps: Int,
      gap: Int
  ): Unit = {
    val random = new Random(5)
    (1 to (if (Sample.isSoak) 30 else 10)).foreach { _ =>
      val blocks = new Blocks(random)
      val tested = new SlidingRows[Row, S](states, keepsLast, blocks.next)
      var held = Vector.empty[Row]
      var (time, number, start) = (0L, 0, 0L)
      (1 to 60).foreach { _ =>
        (1 to random.nextInt(steps + 1)).foreach { _ =>
          time += random.nextInt(gap)
          number += 1
          tested.push((time, number))
          held :+= ((time, number))
        }
        if (random.nextInt(40) == 0) {
          tested.clear()
          held = Vector.empty
        } else {
          val until = if (held.isEmpty || random.nextInt(8) == 0) time else held(held.size / 3)._1
          start = math.max(start, until + random.nextInt(3) - 1)
          tested.evictBefore(start)
          held = evicted(held, start, keepsLast)
        }
        assert(tested.size == held.size)
        assert(tested.isEmpty == held.isEmpty)
        assert((tested.bytes == 0) == held.isEmpty)
        if (held.isEmpty) assert(blocks.held == 0)
        else
          assert(Seq(tested.older, tested.newer).filter(_ != null).mkString ==
            held.map(row => s"${row._2},").mkString)
      }
    }
  }

  for {
    keepsLast <- Seq(false, true)
    steps <- Seq(2, 30, 500)
    gap <- Seq(2, 10)
  } test(s"the window's rows are merged in their order: $keepsLast, $steps rows, gaps of $gap") {
    check(Texts, keepsLast, steps, gap)
    check(Buffers, keepsLast, steps, gap)
  }

  test("a window of many rows has few states, and a row is merged a few times in its life") {
    val tested = new SlidingRows[Row, String](
      new RowStates[Row, String] {
        override def timeOf(row: Row): Long = row._1
        override def stateOf(row: Row): String = "x"
        override def addTo(state: String, row: Row): String = state
        override def changeable(state: String): String = state
        override def mergeInto(older: String, newer: String): String = older
        override def bytesOf(state: String): Int = 1
      },
      keepsLast = false,
      least => (new Blocks(new Random(1)).next(least)._1, least)
    )
    val (rows, width) = (200_000, 50_000)
    var mostBytes = 0L
    (1 to rows).foreach { i =>
      tested.push((i.toLong, i))
      tested.evictBefore(i.toLong - width + 1)
      mostBytes = math.max(mostBytes, tested.bytes)
    }
    assert(tested.size == width && tested.peak == width + 1)
    assert(mostBytes < 2_000, "states are as many as the root of the rows")
    assert(tested.merges < 2L * rows)
  }
}

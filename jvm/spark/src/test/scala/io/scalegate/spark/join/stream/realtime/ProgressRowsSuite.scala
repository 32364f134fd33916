package io.scalegate.spark.join.stream.realtime

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.scalegate.EmptyTask
import org.apache.spark.sql.types.{DataType, LongType, TimestampType}
import org.scalatest.funsuite.AnyFunSuite

import io.scalegate.spark.rows.PartitionIds

/** Rows with the promises of their task. */
final class ProgressRowsSuite extends AnyFunSuite {
  private val Partitions = 3
  private val source = ProgressExec.sourceOf(4, 9)
  private val cells = {
    val ids = new PartitionIds(Partitions)
    Seq.tabulate(Partitions)(ids.next)
  }

  /** The time, or -1 for none; of each row its hash is its time. */
  private def rows(times: Iterator[Long]): Iterator[UnsafeRow] = {
    val project =
      UnsafeProjection.create(Array[DataType](TimestampType, LongType, LongType, LongType))
    times.map(t => project(InternalRow(if (t < 0) null else t, t, 0L, 0L)))
  }

  private def made(rows: Iterator[UnsafeRow], delay: Long, isPrompt: Boolean) = new ProgressRows(
    rows,
    1,
    0,
    delay,
    Partitions,
    source,
    Option.when(isPrompt)(EmptyTask())
  )

  private def told(
      times: Iterator[Long],
      delay: Long,
      isPrompt: Boolean
  ): Seq[(Boolean, Long, Long)] =
    made(rows(times), delay, isPrompt).map { row =>
      assert(ProgressExec.numberOf(row.getLong(2)) == 4)
      assert(ProgressExec.sourcesOf(row.getLong(2)) == 9)
      val isPromise = ProgressExec.isPromise(row.getLong(2))
      assert(row.isNullAt(3) == isPromise)
      assert(isPromise || math.abs(TaskMeter.now - row.getLong(3)) < 60000000L)
      (isPromise, if (row.isNullAt(0)) -1L else row.getLong(0), row.getLong(1))
    }.toSeq

  for ((how, isPrompt) <- Seq("read by the task" -> false, "read by a thread" -> true)) {
    test(
      s"$how, each row goes to its key's partition, and a promise to all, first and behind the newest row"
    ) {
      val all = told(Iterator(100L, 250L, -1L, 200L), delay = 30L, isPrompt)
      assert(all.take(Partitions) == cells.map((true, Long.MinValue, _)))
      assert(all.filterNot(_._1) == Seq(100L, 250L, -1L, 200L).map(t =>
        (false, t, cells(Math.floorMod(t.toInt, Partitions)))
      ))
      // The last promise stands behind the row that it follows from, and not always at the end: it
      // comes sooner where the pause between two passes before the input ends.
      val last = all.drop(all.indexWhere(r => !r._1 && r._2 == 250L)).filter(_._1)
      assert(last == cells.map((true, 220L, _)))
      assert(all.count(_._1) - last.size - Partitions == all.count(r => r._1 && r._2 == 70L))
    }

    test(s"$how, a promise comes after the row that it follows from, and none is made twice") {
      val slow = Iterator(100L, 90L, 300L).map { t =>
        Thread.sleep(2 * ProgressRows.PauseNanos / 1000000)
        t
      }
      val all = told(slow, delay = 10L, isPrompt)
      val promises = all.filter(_._1).map(_._2).distinct
      assert(promises == Seq(Long.MinValue, 90L, 290L))
      for (bound <- promises.tail) {
        val at = all.indexWhere(r => r._1 && r._2 == bound)
        assert(all.take(at).exists(r => !r._1 && r._2 - 10L == bound))
        assert(all.count(r => r._1 && r._2 == bound) == Partitions)
      }
    }

    test(s"$how, a time at the end of the range promises no more than it may") {
      val all = told(Iterator(5L), delay = Long.MaxValue, isPrompt)
      assert(all.filter(_._1).map(_._2).toSet.max < 5L)
      val least = made(
        {
          val project =
            UnsafeProjection.create(Array[DataType](TimestampType, LongType, LongType, LongType))
          Iterator(project(InternalRow(Long.MinValue + 3, 0L, 0L, 0L)))
        },
        10L,
        isPrompt
      ).toSeq
      assert(least.forall(_.getLong(0) <= Long.MinValue + 3))
    }

    test(s"$how, an input that has ended is asked for nothing more") {
      var asked = 0
      val ended = new Iterator[Long] {
        def hasNext: Boolean = {
          asked += 1
          asked != 2
        }
        def next(): Long = 100L
      }
      val all = made(rows(ended), 30L, isPrompt)
      assert(all.map(_.getLong(0)).toSeq == Seq.fill(Partitions)(Long.MinValue) ++ Seq(100L) ++
        Seq.fill(Partitions)(70L))
      assert(!all.hasNext && asked == 2)
    }
  }

  test("a promise does not wait for the next row where a thread reads") {
    val goesOn = new java.util.concurrent.CountDownLatch(1)
    val waiting = new Iterator[Long] {
      private[this] var count = 0
      def hasNext: Boolean = count < 2 || {
        goesOn.await()
        false
      }
      def next(): Long = {
        count += 1
        100L * count
      }
    }
    val all = made(rows(waiting), 30L, isPrompt = true)
    val before =
      all.takeWhile(r => !(ProgressExec.isPromise(r.getLong(2)) && r.getLong(0) == 170L))
    assert(before.count(r => !ProgressExec.isPromise(r.getLong(2))) == 2)
    goesOn.countDown()
    assert(all.forall(r => ProgressExec.isPromise(r.getLong(2))))
  }
}

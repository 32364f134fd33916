package io.scalegate.spark.window.slide

import scala.util.Random

import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, UnsafeRow}
import org.apache.spark.sql.classic.{DataFrame => ClassicDataFrame}
import org.apache.spark.sql.types.{IntegerType, LongType, StructType}

import io.scalegate.spark.SparkJoinSuite
import io.scalegate.spark.window.SlidingWindow
import io.scalegate.spark.window.partial.PaneFunctions

/** The sort by hash and pane number: keys apart, panes in order, when hashes collide and numbers do not fit as well. */
final class PaneSortSuite extends SparkJoinSuite {
  import PaneSortSuite._

  private val random = new Random(5)

  private def rows(spread: Long): Seq[(Int, Long, Long)] =
    Seq.tabulate(2000) { i =>
      (random.nextInt(40), random.nextLong(2 * spread) - spread, i.toLong)
    }

  private def sorted(input: Seq[(Int, Long, Long)], paneBits: Int, hashes: Long) = {
    val schema =
      new StructType().add("k", IntegerType).add("pane", LongType).add("value", LongType)
    val made = spark.createDataFrame(
      spark.sparkContext.parallelize(input.map(Row.fromTuple), 1),
      schema
    ).asInstanceOf[ClassicDataFrame].queryExecution
    val columns = made.executedPlan.output
    made.toRdd.mapPartitions(sort(columns, paneBits, hashes)).collect().toSeq
  }

  /** All rows, each key's in one run and in the order of the panes. */
  private def assertRuns(input: Seq[(Int, Long, Long)], found: Seq[(Int, Long, Long)]): Unit = {
    assert(found.sorted == input.sorted)
    val runs = found.map(_._1).foldLeft(Vector.empty[Int])((keys, k) =>
      if (keys.lastOption.contains(k)) keys else keys :+ k
    )
    assert(runs.distinct == runs)
    found.groupBy(_._1).values.foreach(run => assert(run.map(_._2) == run.map(_._2).sorted))
  }

  Seq(0L -> "one hash for all keys", 3L -> "four hashes", (1L << 24) - 1 -> "all hashes").foreach {
    case (hashes, name) =>
      test(s"keys come one after the other: $name") {
        val input = rows(1000)
        assertRuns(input, sorted(input, 40, hashes))
      }
  }

  test("panes too far apart for their bits are in order all the same") {
    val input = rows(1000)
    assertRuns(input, sorted(input, 8, 3))
    val extreme =
      input ++ Seq((3, Long.MinValue, 0L), (3, Long.MaxValue, 1L), (4, Long.MinValue, 2L))
    assertRuns(extreme, sorted(extreme, 40, 3))
  }

  test("no rows") {
    assert(sorted(Nil, 40, 3).isEmpty)
  }
}

object PaneSortSuite {

  /** Of a task; rows of no window have panes of a microsecond here. */
  private def sort(columns: Seq[Attribute], paneBits: Int, hashes: Long)(
      rows: Iterator[InternalRow]
  ): Iterator[(Int, Long, Long)] = {
    val none = PaneFunctions(Nil, Nil, Nil)
    val task =
      PaneWindowsTask(
        SlidingWindow(1, 1, 0),
        PaneColumns(columns, packed = None),
        columns.take(1),
        columns(1),
        none,
        None
      )
    val hash: UnsafeRow => Long = _.hashCode.toLong & hashes
    val runs = new PaneSort(task, paneBits, hash)(rows)
    Iterator.continually(runs.advance()).takeWhile(identity).map { _ =>
      (runs.row.getInt(0), runs.row.getLong(1), runs.row.getLong(2))
    }
  }
}

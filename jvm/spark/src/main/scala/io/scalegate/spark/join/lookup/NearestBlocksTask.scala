package io.scalegate.spark.join.lookup

import scala.collection.mutable

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.scalegate.{SpillableRows, TaskAccess}
import org.apache.spark.unsafe.Platform

import io.scalegate.spark.join.{
  JoinedPairs,
  PairTest,
  PartitionsJoinTask,
  ProbeJoinIterator,
  TaskTerms
}
import io.scalegate.spark.rows.{BuildBuffer, IndexBy, IndexedRows, UnsafeRows, WindowMemory}
import io.scalegate.stream.Sides

/** The join with the nearest rows where a task's memory cannot hold the build side, as it travels to the executors. The
  * build rows are indexed a block at a time. The probe rows are kept on disk and read once for each block, beside the
  * nearest rows found for each so far, which are written again.
  */
final class NearestBlocksTask(terms: TaskTerms, by: IndexBy.Nearest) extends PartitionsJoinTask {
  import NearestBlocksTask._
  import terms.{build, probe, probing}

  def join(l: Iterator[InternalRow], r: Iterator[InternalRow]): JoinedPairs = {
    val probes = SpillableRows.copyOf(
      UnsafeRows(terms.probeOf(Sides(l, r)), probe.output),
      probe.output.length
    )
    val rows = UnsafeRows(terms.buildOf(Sides(l, r)), build.output)
    val memory = WindowMemory.ofTask(TaskContext.get())
    val finder = new Finder
    var found = Option.empty[SpillableRows]
    while (rows.hasNext) {
      found = Some(finder.nearest(probes, blockOf(rows, memory), found))
      memory.release()
    }
    new FoundIterator(
      new PairTest(probing, probe.output.length, build.output.length, None),
      probes,
      found,
      finder.comparisons
    )
  }

  /** As many of the rows as there is memory for, and a mebibyte at least. */
  private[this] def blockOf(rows: Iterator[UnsafeRow], memory: WindowMemory): IndexedRows = {
    val block =
      new BuildBuffer(terms.reader(build), by, build.output.length, FewRows)
    block.fill(rows, memory, LeastBytes): Unit
    block.index(terms.buildSide)
  }

  /** Looks probe rows up in one block after the other. One thread, the task's. */
  final private[this] class Finder {
    private[this] val task = TaskContext.get()
    private[this] val test = terms.test
    private[this] val probeReader = terms.reader(probe)
    private[this] val buildReader = terms.reader(build)
    private[this] val most = if (probing.pairs) probing.most else 1
    private[this] val tied = by.tied.get
    private[this] val candidate = new UnsafeRow(build.output.length)
    private[this] var compared = 0L

    def comparisons: Long = compared

    /** The nearest rows of each probe row, those found before among them. */
    def nearest(
        probes: SpillableRows,
        block: IndexedRows,
        before: Option[SpillableRows]
    ): SpillableRows = {
      val lookup = block.index.lookup()
      val found = before.map(_.iterator)
      val result = new SpillableRows(build.output.length)
      var looked = 0
      probes.iterator.foreach { row =>
        looked += 1
        if ((looked & Patience) == 0) TaskAccess.stopIfKilled(task)
        val rows = mutable.ArrayBuffer.empty[UnsafeRow]
        found.foreach(takeTo(_, rows))
        if (probeReader.read(row)) {
          val earlier = rows.size
          lookup.start(probeReader.keys)
          var number = lookup.next()
          while (number >= 0 && rows.size < earlier + most) {
            block.point(candidate, number)
            if (test.isPassed || test.holds(row, candidate)) rows += candidate.copy()
            if (rows.size < earlier + most) number = lookup.next()
          }
          if (earlier > 0 && rows.size > earlier) sort(rows, probeReader.keys.last)
        }
        rows.iterator.take(most).foreach(result.add)
        result.add(End)
      }
      compared += lookup.comparisons
      before.foreach(_.clear())
      result
    }

    private[this] def sort(rows: mutable.ArrayBuffer[UnsafeRow], time: Long): Unit = {
      val timed = rows.map(row => (timeOf(row), row))
      rows.clear()
      rows ++= timed.sortWith { case ((a, x), (b, y)) =>
        val nearer = by.by.compare(time, a, b)
        if (nearer != 0) nearer < 0
        else if (by.by.isLastFirst(time, a)) tied.compare(y, x) < 0
        else tied.compare(x, y) < 0
      }.map(_._2)
    }

    private[this] def timeOf(row: UnsafeRow): Long = {
      buildReader.read(row): Unit
      buildReader.keys.last
    }

    private[this] def takeTo(
        found: Iterator[UnsafeRow],
        rows: mutable.ArrayBuffer[UnsafeRow]
    ): Unit = {
      var row = found.next()
      while (!isEnd(row)) {
        rows += row.copy()
        row = found.next()
      }
    }
  }
}

private object NearestBlocksTask {
  private val FewRows = 16

  /** What a block takes even if the task has no memory left, or the probe rows would be read again for each row. */
  private val LeastBytes = 1L << 20

  private val Patience = (1 << 12) - 1

  /** Stands after the rows that were found for a probe row. No row is empty. */
  private val End = {
    val row = new UnsafeRow(0)
    row.pointTo(Array.emptyByteArray, Platform.BYTE_ARRAY_OFFSET.toLong, 0)
    row
  }

  private def isEnd(row: UnsafeRow): Boolean = row.getSizeInBytes == 0

  /** Gives the rows that were found for each probe row. One thread, the task's. */
  final private class FoundIterator(
      pairs: PairTest,
      probes: SpillableRows,
      found: Option[SpillableRows],
      compared: Long
  ) extends ProbeJoinIterator(pairs) {
    private[this] val rows = probes.iterator
    private[this] val nearest = found.fold(Iterator.continually(End))(_.iterator)
    private[this] var ended = true
    private[this] var row: UnsafeRow = _

    def counts: Seq[Long] = Seq(compared, 0L, 0L, 1L)

    override def close(): Unit = {
      probes.clear()
      found.foreach(_.clear())
    }

    protected def nextProbe(): InternalRow = {
      while (!ended) find()
      ended = !rows.hasNext
      if (ended) null else rows.next()
    }

    protected def find(): Boolean = {
      row = nearest.next()
      ended = isEnd(row)
      !ended
    }

    protected def foundRow: UnsafeRow = row
  }
}

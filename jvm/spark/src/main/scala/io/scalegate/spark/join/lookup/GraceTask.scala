package io.scalegate.spark.join.lookup

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Expression,
  Literal,
  Murmur3Hash,
  Pmod,
  UnsafeProjection,
  UnsafeRow
}
import org.apache.spark.sql.scalegate.{SpillableRows, TaskAccess}

import io.scalegate.spark.join.{BoundedInput, JoinedPairs, PartitionsJoinTask, TaskTerms}
import io.scalegate.spark.rows.UnsafeRows
import io.scalegate.stream.{Side, Sides}

/** The join of two partitions whose build side a task cannot hold, as it travels to the executors: a Grace hash join.
  * The rows of both sides are split into buckets by a hash of their keys and kept on disk, and the buckets are joined
  * one after the other, each with an index of its own. A bucket that cannot be held either is split again by another
  * hash, unless it has most of the rows that were split, as that of a frequent key has.
  *
  * @param keys
  *   over each side's columns, the same bytes in every pair; one at least
  * @param unsplit
  *   joins a bucket that another hash would not make smaller
  * @param level
  *   how often the rows were split before
  */
final class GraceTask(
    terms: TaskTerms,
    keys: Sides[Seq[Expression]],
    unsplit: PartitionsJoinTask,
    level: Int = 0
) extends PartitionsJoinTask {
  import GraceTask._

  def join(l: Iterator[InternalRow], r: Iterator[InternalRow]): JoinedPairs = {
    val buckets = Sides(l, r).zip(terms.inputs).zip(keys).map { case ((rows, input), by) =>
      bucketsOf(UnsafeRows(rows, input.output), input, by)
    }
    val rows = terms.buildOf(buckets).map(_.size.toLong).sum
    val pairs = Iterator.range(0, Buckets).map { i =>
      if (i > 0) buckets.toSeq.foreach(_(i - 1).clear())
      joined(buckets.map(_(i)), rows)
    }
    new BucketsIterator(terms.probing.side, pairs)
  }

  private[this] def joined(bucket: Sides[SpillableRows], ofAll: Long): JoinedPairs = {
    val frequent = terms.buildOf(bucket).size.toLong > ofAll / 2
    val unheld = if (frequent) unsplit else new GraceTask(terms, keys, unsplit, level + 1)
    new IndexTask(terms, unheld).join(bucket.left.iterator, bucket.right.iterator)
  }

  private[this] def bucketsOf(
      rows: Iterator[UnsafeRow],
      input: BoundedInput,
      by: Seq[Expression]
  ): Seq[SpillableRows] = {
    val task = TaskContext.get()
    val buckets = Vector.fill(Buckets)(new SpillableRows(input.output.length))
    val bucketOf = UnsafeProjection.create(
      Seq(Pmod(new Murmur3Hash(by, Seed + level), Literal(Buckets))),
      input.output
    )
    var taken = 0
    rows.foreach { row =>
      taken += 1
      if ((taken & Patience) == 0) TaskAccess.stopIfKilled(task)
      buckets(bucketOf(row).getInt(0)).add(row)
    }
    buckets.foreach(_.finish())
    buckets
  }
}

private object GraceTask {
  private val Buckets = 16

  /** Far from the one that Spark exchanges rows by, which all rows of a partition have in common. */
  private val Seed = 7919

  private val Patience = (1 << 12) - 1
}

/** The pairs of one bucket after the other. One thread, the task's. It holds one bucket's.
  *
  * @param buckets
  *   each asked for when the one before it is through and closed
  */
final private class BucketsIterator(side: Side, buckets: Iterator[JoinedPairs])
    extends JoinedPairs(side) {
  private[this] var pairs = Option(buckets.next())
  private[this] var closed = Seq(0L, 0L, 0L, 1L) // what those before counted

  def counts: Seq[Long] = pairs.fold(closed)(sum)

  def atProbe(): Boolean = {
    var found = pairs.exists(_.atProbe())
    while (!found && moveOn()) found = pairs.exists(_.atProbe())
    found
  }

  def probe: InternalRow = pairs.get.probe

  def found: UnsafeRow = pairs.get.found

  override def foundBase: AnyRef = pairs.get.foundBase

  override def foundOffset: Long = pairs.get.foundOffset

  def close(): Unit = pairs.foreach(_.close())

  protected def moveToMatch(): Boolean = pairs.get.nextMatch()

  /** Lets go of what is through before it asks for more: false when there is no more. */
  private[this] def moveOn(): Boolean = {
    pairs.foreach { through =>
      closed = sum(through)
      through.close()
    }
    pairs = None
    if (buckets.hasNext) pairs = Some(buckets.next())
    pairs.nonEmpty
  }

  /** Comparisons, rows kept, the most of them at a time, and that the task read its rows again. */
  private[this] def sum(of: JoinedPairs): Seq[Long] = {
    val counts = of.counts
    Seq(closed(0) + counts(0), closed(1) + counts(1), math.max(closed(2), counts(2)), 1L)
  }
}

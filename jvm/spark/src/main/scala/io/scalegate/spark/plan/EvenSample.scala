package io.scalegate.spark.plan

import scala.collection.mutable
import scala.util.control.NonFatal

import org.apache.spark.TaskKilledException
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.SparkSession

import io.scalegate.spark.rows.AttributeReader

/** A row of an input, and how many it stands for.
  *
  * @param keys
  *   its attributes, as sortable integers
  */
final private[spark] case class SampledRow(keys: IndexedSeq[Long], weight: Double)

/** Rows from all over an input, which a job finds that reads the attributes of all rows: where the values lie, as the rows
  * at the beginnings of files do not say.
  */
private[spark] object EvenSample {

  /** Those that have all attributes, about [[MostOfAll]] at the most.
    *
    * @param attributes
    *   a plan whose columns they are
    */
  def of(session: SparkSession, attributes: LogicalPlan): Seq[SampledRow] = {
    val planned = session.sessionState.executePlan(attributes).executedPlan
    val columns = planned.output
    val rows = planned.execute()
    val most = math.max(
      LeastOfPartition,
      math.min(MostOfPartition, MostOfAll / math.max(1, rows.getNumPartitions))
    )
    rows.mapPartitions(sampled(_, columns, most)).collect().toSeq
  }

  /** Every n-th of a partition's rows, for the least n with which they are few; of those before the first whose attributes
    * cannot be evaluated.
    */
  private[this] def sampled(
      rows: Iterator[InternalRow],
      columns: Seq[Attribute],
      most: Int
  ): Iterator[SampledRow] = {
    val reader = AttributeReader(columns, columns)
    var kept = mutable.ArrayBuffer.empty[Vector[Long]]
    var step = 1L
    var number = 0L
    def add(row: InternalRow): Unit = {
      if (number % step == 0 && reader.read(row)) {
        if (kept.size == most) {
          kept = kept.zipWithIndex.collect { case (one, i) if i % 2 == 0 => one }
          step *= 2
        }
        if (number % step == 0) kept += reader.keys.toVector
      }
      number += 1
    }
    try rows.foreach(add)
    catch {
      case e @ (_: TaskKilledException | _: InterruptedException) => throw e
      case NonFatal(_) => // The query does not have this row, or fails of it by itself.
    }
    val weight = step.toDouble
    kept.iterator.map(SampledRow(_, weight))
  }

  /** Into how many parts rows are cut that are joined part by part: as many as there are partitions for them, but no
    * small ones; and, while they are not too many, no large ones, so that a task that lacks memory can hold one.
    *
    * @param rows
    *   how many there are
    */
  def parts(rows: Double, partitions: Double): Int = {
    val large = math.max(LeastParts, rows / LeastRows)
    math.max(math.min(partitions, large), math.min(MostParts, rows / MostRows)).toInt
  }

  private[this] val MostOfPartition = 2048
  private[this] val LeastOfPartition = 16

  /** The driver holds them. */
  private[this] val MostOfAll = 1 << 18

  /** However few rows there are. */
  private[this] val LeastParts = 8.0

  /** Fewer rows are not worth a task. */
  private[this] val LeastRows = 1 << 16

  /** A task has little memory that cannot hold the half of them, one side's. */
  private[this] val MostRows = 1 << 19

  /** Each task that cuts rows holds something for each part. */
  private[this] val MostParts = 1024.0
}

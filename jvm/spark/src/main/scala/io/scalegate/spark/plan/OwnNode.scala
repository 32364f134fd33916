package io.scalegate.spark.plan

import org.apache.spark.sql.catalyst.expressions.{AttributeSet, ExpressionSet}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Statistics}

/** A node of this package in a query's plan. Spark's optimizer, and the same once more while a query runs, drops
  * limits, sorts, aggregates and columns by what a node says of its rows, and what a node inherits is true of Spark's
  * own. So each node of this package says all of it by itself, or does not compile.
  */
trait OwnNode extends LogicalPlan {

  /** No more rows than this; None where that is not known. */
  override def maxRows: Option[Long]

  /** The same of each partition. */
  override def maxRowsPerPartition: Option[Long]

  /** How large the rows are, and how many: joins above are chosen by it. */
  override def stats: Statistics

  /** The inputs' columns that are read; others may be taken away. */
  override def references: AttributeSet

  /** Sets of columns in which no two rows are the same. */
  protected def uniqueBy: Set[ExpressionSet]

  /** What is true of every row. */
  protected def holds: ExpressionSet

  /** What shows of which of its inputs' columns its own are made: itself where it passes them on as they are, or else what
    * Spark would have in its place.
    */
  private[scalegate] def lineage: LogicalPlan = this

  final override lazy val distinctKeys: Set[ExpressionSet] = uniqueBy

  final override protected lazy val validConstraints: ExpressionSet = holds
}

object OwnNode {

  /** Of so many rows each several times; None where that, or how many there are, is not known in 64 bits. */
  def times(rows: Option[Long], each: Long): Option[Long] =
    rows.map(BigInt(_) * each).filter(_.isValidLong).map(_.toLong)
}

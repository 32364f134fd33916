package io.scalegate.spark.plan

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  Attribute,
  Expression,
  Literal,
  SubqueryExpression
}
import org.apache.spark.sql.catalyst.plans.logical.{
  Filter,
  LeafNode,
  LocalLimit,
  LocalRelation,
  LogicalPlan,
  Project,
  Range
}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.columnar.InMemoryRelation
import org.apache.spark.sql.execution.datasources.v2.{DataSourceV2ScanRelation, FileScan}
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}

import io.scalegate.join.AttributeType
import io.scalegate.spark.exec.AttributeReader

/** The attributes of a few rows of a join's input, as sortable integers; rows with a NULL are left out.
  *
  * @param partitions
  *   for each partition that was looked at its columns: the i-th array holds the i-th attribute of its rows
  */
final class InputSample(val partitions: IndexedSeq[IndexedSeq[Array[Long]]]) {
  def column(i: Int): Array[Long] = partitions.toArray.flatMap(_(i))

  val rows: Int = partitions.map(_.head.length).sum
}

/** Reads samples where that costs little: the first rows of a few partitions of files, of a cached table or of rows
  * that the plan itself holds, through filters and projections. What an exchange, an aggregate, a join or somebody's
  * own RDD would have to compute is not asked for.
  *
  * Rows that lie together in a file may be alike; a sample decides how fast a join is and never what it gives.
  */
object InputSample {

  /** None where a sample would cost more than that, or shows nothing.
    *
    * @param attributes
    *   over the input's output, of the storage type of `types`
    * @param rows
    *   how many to read at most, before filters
    */
  def of(
      input: LogicalPlan,
      attributes: Seq[Expression],
      types: IndexedSeq[AttributeType],
      rows: Int
  ): Option[InputSample] =
    for {
      session <- SparkSession.getActiveSession if rows > 0
      heads <- headsOf(input, math.max(1, rows / Partitions))
      sample <- read(session, heads, attributes, types)
    } yield sample

  private[this] def read(
      session: SparkSession,
      heads: LogicalPlan,
      attributes: Seq[Expression],
      types: IndexedSeq[AttributeType]
  ): Option[InputSample] = {
    val named = attributes.zipWithIndex.map { case (a, i) => Alias(a, s"attribute$i")() }
    val planned = session.sessionState.executePlan(Project(named, heads)).executedPlan
    val columns = planned.output
    val rdd = planned.execute()
    val partitions = spread(rdd.getNumPartitions)
    val read = session.sparkContext.runJob(
      rdd,
      (rows: Iterator[InternalRow]) => InputSample.attributesOf(rows, columns, types),
      partitions
    )
    val sample = new InputSample(read.toVector)
    if (sample.rows == 0) None else Some(sample)
  }

  /** The attributes of a partition's rows, column by column. */
  private def attributesOf(
      rows: Iterator[InternalRow],
      columns: Seq[Attribute],
      types: IndexedSeq[AttributeType]
  ): IndexedSeq[Array[Long]] = {
    val reader = new AttributeReader(columns, types, columns)
    val read = Vector.fill(types.length)(mutable.ArrayBuilder.make[Long])
    rows.foreach { row =>
      if (reader.read(row)) for (i <- read.indices) read(i) += reader.keys(i)
    }
    read.map(_.result())
  }

  private[this] def spread(partitions: Int): Seq[Int] =
    if (partitions <= Partitions) 0 until partitions
    else (0 until Partitions).map(i => (i.toLong * partitions / Partitions).toInt)

  /** The plan over the first `n` rows of each partition. */
  private[this] def headsOf(plan: LogicalPlan, n: Int): Option[LogicalPlan] = plan match {
    case p: Project if isPlain(p) => headsOf(p.child, n).map(c => p.withNewChildren(Seq(c)))
    case f: Filter if isPlain(f) => headsOf(f.child, n).map(c => f.withNewChildren(Seq(c)))
    case leaf: LeafNode if isCheap(leaf) => Some(LocalLimit(Literal(n), leaf))
    case _ => None
  }

  private[this] def isPlain(plan: LogicalPlan): Boolean =
    plan.expressions.forall(e => e.deterministic && !SubqueryExpression.hasSubquery(e))

  private[this] def isCheap(leaf: LeafNode): Boolean = leaf match {
    case _: LocalRelation | _: Range => true
    case cached: InMemoryRelation => cached.cacheBuilder.isCachedColumnBuffersLoaded
    case files: LogicalRelation => files.relation.isInstanceOf[HadoopFsRelation]
    case scanned: DataSourceV2ScanRelation => scanned.scan.isInstanceOf[FileScan]
    case _ => false
  }

  /** How many partitions are looked at. */
  private[this] val Partitions = 4
}

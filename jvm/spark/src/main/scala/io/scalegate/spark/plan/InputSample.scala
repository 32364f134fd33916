package io.scalegate.spark.plan

import java.util.concurrent.FutureTask

import scala.collection.mutable
import scala.concurrent.Await
import scala.concurrent.duration._
import scala.util.Try
import scala.util.control.NonFatal

import org.apache.spark.TaskKilledException
import org.apache.spark.rdd.PartitionPruningRDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  Attribute,
  AttributeSet,
  Expression,
  Literal
}
import org.apache.spark.sql.catalyst.plans.logical.{
  Filter,
  LeafNode,
  LocalLimit,
  LocalRelation,
  LogicalPlan,
  Project,
  Range,
  Union
}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.columnar.InMemoryRelation
import org.apache.spark.sql.execution.datasources.v2.{DataSourceV2ScanRelation, FileScan}
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}
import org.apache.spark.sql.execution.{QueryExecution, SparkPlan}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.unsafe.hash.Murmur3_x86_32

import io.scalegate.spark.rows.AttributeReader
import io.scalegate.stream.Sides

/** The attributes of a few rows of a join's input, as sortable integers; rows with a NULL are left out.
  *
  * @param partitions
  *   for each partition that was looked at, and had rows, its columns: the i-th array holds the i-th attribute of its
  *   rows
  */
final class InputSample(val partitions: IndexedSeq[IndexedSeq[Array[Long]]]) {
  def column(i: Int): Array[Long] = partitions.toArray.flatMap(_(i))

  val rows: Int = partitions.map(_.head.length).sum

  private[this] val isOfOnePartition = partitions.length == 1

  /** How often each value of the first attribute is there in each part of the sample: partitions, or where there is one
    * its consecutive pieces.
    */
  private[this] val parts: IndexedSeq[Map[Long, Int]] = {
    val columns = partitions.map(_.head)
    val pieces =
      if (!isOfOnePartition) columns
      else columns.flatMap(c => c.grouped(math.max(1, -Math.floorDiv(-c.length, Pieces))))
    pieces.map(_.toSeq.groupMapReduce(identity)(_ => 1)(_ + _))
  }

  private[this] val sizes = parts.map(_.values.sum)

  /** How often each value of the first attribute is there. */
  val counts: Map[Long, Int] =
    parts.flatten.groupMapReduce(_._1)(_._2)(_ + _).withDefaultValue(0)

  /** Whether most parts of the sample agree that a value is about as frequent as it is in all. Where rows lie by their
    * values, a part holds many of one value that the whole has few of; nor can one part, of that value only,
    * show more than that it begins there.
    */
  def isSpread(value: Long): Boolean = {
    val least = LeastShare * counts(value) / rows
    val shares = parts.zip(sizes).map { case (p, n) => p.getOrElse(value, 0).toDouble / n }
    val agreeing = shares.count(s => s > 0 && s >= least)
    2 * agreeing > parts.length && !(isOfOnePartition && shares.contains(1.0))
  }

  private[this] def Pieces = 4

  /** Of the share that a value has in all. */
  private[this] def LeastShare = 0.25
}

/** Reads samples where that costs little: rows from the beginning of several partitions of files, of a cached table or
  * of rows that the plan itself holds, through filters, projections and unions. What an exchange, an aggregate, a join or
  * somebody's own RDD would have to compute is not asked for.
  *
  * Rows that lie together in a file may be alike; a sample decides how fast a join is and never what it gives. So it is
  * not waited for long either, and where it cannot be read there is none. The thread that plans the query asks, and a
  * job on the executors reads.
  */
object InputSample {

  /** Whether the rows of an input can be read twice at little cost. Not so a stream's: each batch would wait for it. */
  def isCheap(input: LogicalPlan): Boolean = headsOf(input, AttributeSet.empty, 1).nonEmpty

  /** Both inputs' samples; none where one of them would cost more than that, fails, or shows nothing.
    *
    * @param inputs
    *   with the attributes over their output, in the types that the core stores
    * @param rows
    *   how many to keep at most; those of a partition are taken evenly from the first rows that it has, `Reach` times
    *   as many
    */
  def ofBoth(
      session: SparkSession,
      inputs: Sides[(LogicalPlan, Seq[Expression])],
      rows: Int
  ): Option[Sides[InputSample]] =
    for {
      left <- heads(inputs.left, rows * Reach) if rows > 0
      right <- heads(inputs.right, rows * Reach)
      both <- readBoth(
        () => sampleOf(session, left, rows),
        () => sampleOf(session, right, rows)
      )
    } yield both

  /** At once: to begin to read one takes as long as to read it. A thread of its own has this one's session and job
    * properties; one of a pool would have somebody else's.
    */
  private[this] def readBoth(
      left: () => Option[InputSample],
      right: () => Option[InputSample]
  ): Option[Sides[InputSample]] = {
    val task = new FutureTask(() => Try(left()).toOption.flatten)
    val thread = new Thread(task, "scalegate-sample")
    thread.setDaemon(true)
    thread.start()
    try
      for {
        r <- Try(right()).toOption.flatten
        l <- task.get()
      } yield Sides(l, r)
    finally thread.interrupt()
  }

  private[this] def sampleOf(
      session: SparkSession,
      heads: LogicalPlan,
      rows: Int
  ): Option[InputSample] = KnownSamples.getOrRead(heads)(read(session, heads, rows))

  private[this] def read(
      session: SparkSession,
      heads: LogicalPlan,
      rows: Int
  ): Option[InputSample] = {
    val plan = planned(session, heads)
    val columns = plan.output
    val rdd = plan.execute()
    val partitions = spread(rdd.getNumPartitions)
    val each = math.max(1, rows / math.max(1, partitions.size))
    val samples = PartitionPruningRDD.create(rdd, partitions.toSet).mapPartitions(rows =>
      Iterator.single(InputSample.attributesOf(rows, columns, each))
    )
    val tasks = samples.coalesce(math.max(1, session.sparkContext.defaultParallelism / 2))
    val found = new Array[Seq[Option[IndexedSeq[Array[Long]]]]](tasks.getNumPartitions)
    val job = session.sparkContext.submitJob(
      tasks,
      (samples: Iterator[Option[IndexedSeq[Array[Long]]]]) => samples.toVector,
      tasks.partitions.indices,
      (i: Int, part: Seq[Option[IndexedSeq[Array[Long]]]]) => found(i) = part,
      found.toVector.flatten
    )
    try madeOf(Await.result(job, Patience))
    finally if (!job.isCompleted) job.cancel()
  }

  /** Without the optimizer, which the inputs have been through, and so that no code is compiled: either takes longer than
    * to interpret so few rows.
    */
  private[this] def planned(session: SparkSession, plan: LogicalPlan): SparkPlan = {
    val conf = session.sessionState.conf.clone()
    conf.setConf(SQLConf.WHOLESTAGE_CODEGEN_ENABLED, false)
    SQLConf.withExistingConf(conf) {
      QueryExecution.prepareExecutedPlan(session, session.sessionState.planner.plan(plan).next())
    }
  }

  /** None where one of the partitions could not be read. */
  private[this] def madeOf(
      read: Seq[Option[IndexedSeq[Array[Long]]]]
  ): Option[InputSample] = {
    val present = read.flatten.filter(_.head.nonEmpty).toVector
    Option.when(read.forall(_.nonEmpty) && present.nonEmpty)(new InputSample(present))
  }

  /** The attributes of `most` of a partition's first rows, column by column; None where they cannot be evaluated. That
    * fails no task: whether the query needs them is for the query to see.
    */
  private def attributesOf(
      rows: Iterator[InternalRow],
      columns: Seq[Attribute],
      most: Int
  ): Option[IndexedSeq[Array[Long]]] = {
    val reader = AttributeReader(columns, columns)
    val read = Vector.fill(columns.length)(mutable.ArrayBuilder.make[Long])
    try {
      rows.take(most * Reach).foreach { row =>
        if (reader.read(row)) for (i <- read.indices) read(i) += reader.keys(i)
      }
      Some(read.map(column => thinned(column.result(), most)))
    } catch {
      case e @ (_: TaskKilledException | _: InterruptedException) => throw e
      case NonFatal(_) => None
    }
  }

  /** One of so many values that follow on each other, not always in the same place: keys may come round. */
  private[this] def thinned(values: Array[Long], most: Int): Array[Long] = {
    val step = math.max(1, -Math.floorDiv(-values.length, most))
    Array.tabulate(values.length / step) { i =>
      values(i * step + Math.floorMod(Murmur3_x86_32.hashInt(i, 0), step))
    }
  }

  private[this] def spread(partitions: Int): Seq[Int] =
    if (partitions <= Partitions) 0 until partitions
    else (0 until Partitions).map(i => (i.toLong * partitions / Partitions).toInt)

  /** The attributes of the first `n` rows of each partition. */
  private[this] def heads(input: (LogicalPlan, Seq[Expression]), n: Int): Option[LogicalPlan] = {
    val (plan, attributes) = input
    val named = attributes.zipWithIndex.map { case (a, i) => Alias(a, s"attribute$i")() }
    headsOf(plan, AttributeSet(attributes), n).map(Project(named, _))
  }

  /** What of a plan the needed attributes come from, over the first `n` rows of each partition. */
  private[this] def headsOf(
      plan: LogicalPlan,
      needed: AttributeSet,
      n: Int
  ): Option[LogicalPlan] =
    plan match {
      case Project(terms, child) if isPlain(plan) =>
        val kept = terms.filter(t => needed.contains(t.toAttribute))
        headsOf(child, AttributeSet(kept), n).map(Project(kept, _))
      case Filter(condition, child) if isPlain(plan) =>
        headsOf(child, needed ++ condition.references, n).map(Filter(condition, _))
      case union: Union =>
        val heads = union.children.flatMap { child =>
          val own = union.output.zip(child.output).filter(c => needed.contains(c._1)).map(_._2)
          headsOf(child, AttributeSet(own), n).map(Project(own, _))
        }
        Option.when(heads.size == union.children.size)(Union(heads))
      case leaf: LeafNode if !leaf.isStreaming && isCheap(leaf) =>
        Some(LocalLimit(Literal(n), Project(leaf.output.filter(needed.contains), leaf)))
      case _ => None
    }

  private[this] def isPlain(plan: LogicalPlan): Boolean =
    plan.expressions.forall(ColumnLineage.isPlain)

  private[this] def isCheap(leaf: LeafNode): Boolean = leaf match {
    case _: LocalRelation | _: Range => true
    case cached: InMemoryRelation => cached.cacheBuilder.isCachedColumnBuffersLoaded
    case files: LogicalRelation => files.relation.isInstanceOf[HadoopFsRelation]
    case scanned: DataSourceV2ScanRelation => scanned.scan.isInstanceOf[FileScan]
    case _ => false
  }

  /** How many partitions are looked at. */
  private[this] val Partitions = 8

  /** How many rows are read for each that is kept. */
  private val Reach = 16

  /** A query does not wait longer to learn how it is best run. */
  private[this] val Patience = 2.seconds
}

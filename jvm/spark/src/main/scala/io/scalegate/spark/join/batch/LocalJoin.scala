package io.scalegate.spark.join.batch

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Ascending,
  Attribute,
  AttributeSet,
  Expression,
  SortOrder
}
import org.apache.spark.sql.catalyst.plans.physical.{
  AllTuples,
  BroadcastDistribution,
  ClusteredDistribution,
  Distribution,
  IdentityBroadcastMode,
  Partitioning,
  UnknownPartitioning,
  UnspecifiedDistribution
}
import org.apache.spark.sql.catalyst.util.UnsafeRowUtils
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.internal.SQLConf

import io.scalegate.spark.join.lookup.{
  BlockLookupTask,
  GraceTask,
  IndexTask,
  KeptRows,
  LookupTask,
  NearestBlocksTask
}
import io.scalegate.spark.join.{
  IndexTerms,
  JoinKeys,
  JoinedPairs,
  KeyBound,
  PartitionsJoinTask,
  Probing,
  TaskTerms
}
import io.scalegate.spark.rows.{IndexBy, NodeTerms}
import io.scalegate.spark.settings.ScaleGateConf
import io.scalegate.stream.Sides

/** How the tasks of a [[WindowJoinExec]] join what they read: where and in which order they need their rows, what they
  * do with them, and what that leaves of the inputs' partitioning and order. It holds all expressions of the node. The
  * join is planned on the driver, and holds no rows.
  */
sealed trait LocalJoin extends NodeTerms {

  /** What makes two rows a pair. */
  def terms: IndexTerms

  /** What EXPLAIN calls the node. */
  def shownName: String = "WindowJoin"

  /** Names of the metrics that a task's [[JoinedPairs.counts]] are added to, and what they say. */
  def counters: Seq[(String, String)]

  def distribution(probing: Probing): Sides[Distribution]

  def ordering: Sides[Seq[SortOrder]] = Sides(Nil, Nil)

  /** The columns of the rows of a pair, of inputs with these. */
  def joined(probing: Probing, inputs: Sides[Seq[Attribute]]): Sides[Seq[Attribute]]

  /** Columns of these that no input has. */
  def produced: AttributeSet = AttributeSet.empty

  /** Whether the inputs' partitions may be cut, each pair of rows still meeting in one task. */
  def mayBeCut: Boolean

  /** @param isCut
    *   whether the inputs' partitions are parts of what they were
    */
  def outputPartitioning(
      probing: Probing,
      inputs: Sides[SparkPlan],
      isCut: Boolean
  ): Partitioning

  def outputOrdering(probing: Probing, inputs: Sides[SparkPlan]): Seq[SortOrder] = Nil

  /** The pairs of each task, given to `opened`, which must be all that a task's closure takes of the node. */
  def pairs(
      probing: Probing,
      inputs: Sides[SparkPlan],
      opened: JoinedPairs => JoinedPairs
  ): RDD[InternalRow]
}

/** A join of rows that meet by keys or in cells. */
sealed trait ClusteredJoin extends LocalJoin {
  def keys: JoinKeys

  override def distribution(probing: Probing): Sides[Distribution] =
    keys.sides.map(ClusteredDistribution(_, requiredNumPartitions = keys.partitions))

  override def joined(
      probing: Probing,
      inputs: Sides[Seq[Attribute]]
  ): Sides[Seq[Attribute]] = inputs

  override def mayBeCut: Boolean = keys.partitions.isEmpty

  override def outputPartitioning(
      probing: Probing,
      inputs: Sides[SparkPlan],
      isCut: Boolean
  ): Partitioning = {
    val partitioning = inputs.map(_.outputPartitioning)
    if (keys.cells.nonEmpty || isCut) UnknownPartitioning(partitioning.left.numPartitions)
    else probing.partitioning(partitioning.left, partitioning.right)
  }

  /** The join of an index of a task's rows: bucket by bucket where its memory cannot hold them, by `unsplit` where that
    * does not help.
    */
  protected def indexed(terms: TaskTerms)(unsplit: PartitionsJoinTask): PartitionsJoinTask = {
    val splits = keys.left.nonEmpty && keys.partitions.isEmpty &&
      keys.left.forall(key => UnsafeRowUtils.isBinaryStable(key.dataType))
    new IndexTask(terms, if (splits) new GraceTask(terms, keys.sides, unsplit) else unsplit)
  }

  /** The work of a task on inputs of these columns. */
  protected def task(probing: Probing, columns: Sides[Seq[Attribute]]): PartitionsJoinTask

  override def pairs(
      probing: Probing,
      inputs: Sides[SparkPlan],
      opened: JoinedPairs => JoinedPairs
  ): RDD[InternalRow] = {
    val work = task(probing, inputs.map(_.output))
    inputs.left.execute().zipPartitions(inputs.right.execute())((l, r) => opened(work.join(l, r)))
  }
}

/** A join of partitions whose condition bounds a difference that a window can slide along: the first of the terms'. */
sealed trait SweptJoin extends ClusteredJoin {
  override def counters: Seq[(String, String)] = Seq(
    "comparisons" -> "comparisons",
    "rowsKept" -> "rows kept in windows",
    "peakWindow" -> "peak window rows, sum over tasks",
    "sortedTasks" -> "tasks that sorted for want of memory",
    "spilledKeys" -> "keys whose window was kept on disk for want of memory"
  )

  protected def sweep(probing: Probing, columns: Sides[Seq[Attribute]]): SweepTask =
    new SweepTask(
      terms.inTask(probing, columns),
      keys.sides,
      ScaleGateConf.sweepAbove(SQLConf.get)
    )
}

object LocalJoin {

  /** A task goes through both inputs, which come sorted by the keys, key by key. The rows of a key that has many are
    * sorted by the first bounded attribute, and a window is swept over them. The memory that it needs is one window of
    * one key; a window that does not fit is kept on disk, as what comes before it is spilled by Spark's sorts.
    */
  final case class Sweep(keys: JoinKeys, terms: IndexTerms) extends SweptJoin {
    override def children: Seq[Expression] = Seq(keys, terms)

    override protected def withNewChildrenInternal(changed: IndexedSeq[Expression]): Sweep =
      copy(changed(0).asInstanceOf[JoinKeys], changed(1).asInstanceOf[IndexTerms])

    override def ordering: Sides[Seq[SortOrder]] =
      keys.sides.map(_.map(SortOrder(_, Ascending)))

    /** Rows come in the order of their probe rows' keys. */
    override def outputOrdering(probing: Probing, inputs: Sides[SparkPlan]): Seq[SortOrder] =
      if (keys.cells.nonEmpty) Nil else ordering(probing.side)

    override protected def task(
        probing: Probing,
        columns: Sides[Seq[Attribute]]
    ): PartitionsJoinTask = sweep(probing, columns)
  }

  /** A task indexes its rows of the build side, and nothing has to be sorted. One that cannot hold them
    * sorts both sides itself, and sweeps; in two passes where rows of both sides are given that match nothing.
    *
    * @param key
    *   the keys as one more bound
    */
  final case class IndexOrSweep(keys: JoinKeys, terms: IndexTerms, key: KeyBound)
      extends SweptJoin {
    override def children: Seq[Expression] = Seq(keys, terms, key)

    override protected def withNewChildrenInternal(
        changed: IndexedSeq[Expression]
    ): IndexOrSweep = IndexOrSweep(
      changed(0).asInstanceOf[JoinKeys],
      changed(1).asInstanceOf[IndexTerms],
      changed(2).asInstanceOf[KeyBound]
    )

    override protected def task(
        probing: Probing,
        columns: Sides[Seq[Attribute]]
    ): PartitionsJoinTask = new IndexTask(
      terms.within(key).inTask(probing, columns),
      TwoPassTask.ifNeeded(probing, columns)(sweep(_, columns).ofUnsorted)
    )
  }

  /** A task indexes its rows of the build side, where no window can be swept: the bounds are columns, or
    * there are none. Where its memory is too small for them, both sides are split by their keys and kept on disk. The rows
    * of a frequent key are all read once for each block of the other's rows, which is indexed if there are bounds; in
    * two passes by a full join.
    *
    * @param terms
    *   a bound on the keys comes first
    * @param condition
    *   all of it, with the equality of the keys
    */
  final case class IndexOrBlocks(keys: JoinKeys, terms: IndexTerms, condition: Expression)
      extends ClusteredJoin {
    override def counters: Seq[(String, String)] = Seq(
      "comparisons" -> "comparisons",
      "rowsKept" -> "rows kept in indexes",
      "peakWindow" -> "peak index rows, sum over tasks",
      "spilledTasks" -> "tasks that read their rows again for want of memory"
    )

    override def children: Seq[Expression] = Seq(keys, terms, condition)

    override protected def withNewChildrenInternal(
        changed: IndexedSeq[Expression]
    ): IndexOrBlocks = IndexOrBlocks(
      changed(0).asInstanceOf[JoinKeys],
      changed(1).asInstanceOf[IndexTerms],
      changed(2)
    )

    override protected def task(
        probing: Probing,
        columns: Sides[Seq[Attribute]]
    ): PartitionsJoinTask = indexed(terms.inTask(probing, columns)) {
      TwoPassTask.ifNeeded(probing, columns) { pass =>
        terms.by match {
          case _: IndexBy.Compared => new BlockLookupTask(terms.inTask(pass, columns))
          case _ => new BlockLoopTask(pass, columns, condition)
        }
      }
    }
  }

  /** A task indexes its rows of the build side and gives, for each of the other's, those that are nearest in time. Where
    * its memory is too small for them, both sides are split by their keys and kept on disk; of a frequent key it indexes a
    * part of the rows at a time.
    *
    * @param keys
    *   none where all rows of both inputs meet in one task
    */
  final case class Nearest(keys: JoinKeys, terms: IndexTerms) extends ClusteredJoin {
    override def shownName: String = "AsOfJoin"

    override def counters: Seq[(String, String)] = Seq(
      "comparisons" -> "comparisons",
      "rowsKept" -> "rows kept in indexes",
      "peakWindow" -> "peak index rows, sum over tasks",
      "spilledTasks" -> "tasks that read their rows again for want of memory"
    )

    override def children: Seq[Expression] = Seq(keys, terms)

    override protected def withNewChildrenInternal(changed: IndexedSeq[Expression]): Nearest =
      Nearest(changed(0).asInstanceOf[JoinKeys], changed(1).asInstanceOf[IndexTerms])

    override def distribution(probing: Probing): Sides[Distribution] =
      if (keys.left.isEmpty) Sides(AllTuples, AllTuples) else super.distribution(probing)

    /** The rows of a key are not all in the partition that they are cut from. */
    override def mayBeCut: Boolean = false

    override protected def task(
        probing: Probing,
        columns: Sides[Seq[Attribute]]
    ): PartitionsJoinTask = {
      val inTask = terms.inTask(probing, columns)
      val by = inTask.by.asInstanceOf[IndexBy.Nearest]
      indexed(inTask)(new NearestBlocksTask(inTask, by))
    }
  }

  /** One input is small enough to be broadcast. Each executor indexes its rows once, and each row of the other input is
    * looked up where it is: nothing is exchanged or sorted, and the output has the partitioning and the order of that
    * input.
    *
    * @param held
    *   the columns of the rows that are broadcast: of the build side, whose plan gives `PackedRows`
    * @param kept
    *   what these rows are known by in the batches of a stream to come
    */
  final case class Broadcast(held: Seq[Attribute], terms: IndexTerms, kept: Option[KeptRows])
      extends LocalJoin {
    override def shownName: String = "BroadcastWindowJoin"

    override def counters: Seq[(String, String)] = Seq(
      "comparisons" -> "comparisons",
      "rowsKept" -> "index rows, sum over tasks",
      "peakWindow" -> "peak index rows, sum over tasks",
      "blockTasks" -> "tasks that had no memory for the index"
    )

    override def children: Seq[Expression] = held :+ terms

    override protected def withNewChildrenInternal(
        changed: IndexedSeq[Expression]
    ): Broadcast =
      copy(
        held = changed.init.map(_.asInstanceOf[Attribute]),
        terms = changed.last.asInstanceOf[IndexTerms]
      )

    override def distribution(probing: Probing): Sides[Distribution] =
      Sides.bySide(
        probing.side,
        UnspecifiedDistribution,
        BroadcastDistribution(IdentityBroadcastMode)
      )

    override def joined(
        probing: Probing,
        inputs: Sides[Seq[Attribute]]
    ): Sides[Seq[Attribute]] = Sides.bySide(probing.side, inputs(probing.side), held)

    override def produced: AttributeSet = AttributeSet(held)

    override def mayBeCut: Boolean = false

    override def outputPartitioning(
        probing: Probing,
        inputs: Sides[SparkPlan],
        isCut: Boolean
    ): Partitioning = inputs(probing.side).outputPartitioning

    override def outputOrdering(probing: Probing, inputs: Sides[SparkPlan]): Seq[SortOrder] =
      inputs(probing.side).outputOrdering

    override def pairs(
        probing: Probing,
        inputs: Sides[SparkPlan],
        opened: JoinedPairs => JoinedPairs
    ): RDD[InternalRow] = {
      val work = new LookupTask(terms.inTask(probing, joined(probing, inputs.map(_.output))))
      val rows = inputs(probing.side.opposite).executeBroadcast[Array[InternalRow]]()
      kept.foreach(_.keep(rows))
      inputs(probing.side).execute().mapPartitions(probes =>
        opened(work.join(probes, rows.value))
      )
    }
  }
}

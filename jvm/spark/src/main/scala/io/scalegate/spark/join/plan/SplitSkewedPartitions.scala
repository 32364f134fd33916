package io.scalegate.spark.join.plan

import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.adaptive.{
  AQEShuffleReadExec,
  AQEUtils,
  ShufflePartitionsUtil,
  ShuffleQueryStageExec
}
import org.apache.spark.sql.execution.exchange.ValidateRequirements
import org.apache.spark.sql.execution.{
  CoalescedPartitionSpec,
  ShufflePartitionSpec,
  SortExec,
  SparkPlan
}
import org.apache.spark.sql.internal.SQLConf

import io.scalegate.spark.join.Probing
import io.scalegate.spark.join.batch.WindowJoinExec
import io.scalegate.spark.settings.RunningQuery
import io.scalegate.stream.Side

/** Cuts the partitions of a window join's inputs that turn out to be far larger than the others, by Spark's settings
  * for its own joins (`spark.sql.adaptive.skewJoin.*`), whose rule passes over ours. A part of one side's partition
  * meets all of the other side's, or each part of it, so that every pair of rows meets in one task. Only sides of which
  * no row is decided are cut, and the probe side: each of its rows sees all that it can match.
  *
  * A join is left whole where an operator above needs its rows to lie by their keys. Adaptive execution runs the rule
  * each time that it plans again.
  */
object SplitSkewedPartitions extends Rule[SparkPlan] {
  override def apply(plan: SparkPlan): SparkPlan =
    if (!conf.getConf(SQLConf.SKEW_JOIN_ENABLED)) plan
    else
      joinsIn(plan).foldLeft(plan) { (whole, join) =>
        val cut = inParts(join).map(parts => whole.transformUp { case p if p eq join => parts })
        cut.filter(isValid).getOrElse(whole)
      }

  private[this] def joinsIn(plan: SparkPlan): Seq[WindowJoinExec] = plan.collect {
    case join: WindowJoinExec if join.mayBeCut => join
  }

  private[this] def isValid(plan: SparkPlan): Boolean = {
    val asked = for {
      session <- SparkSession.getActiveSession
      query <- RunningQuery.in(session)
      distribution <- AQEUtils.getRequiredDistribution(query.sparkPlan)
    } yield distribution
    asked.fold(ValidateRequirements.validate(plan))(ValidateRequirements.validate(plan, _))
  }

  private[this] def inParts(join: WindowJoinExec): Option[SparkPlan] =
    for {
      left <- SkewedInput.from(join.left, conf)
      right <- SkewedInput.from(join.right, conf) if left.partitions == right.partitions
      pairs = (0 until left.partitions).flatMap(partsOf(_, join.probing, left, right))
      if pairs.size > left.partitions
    } yield join.inParts(left.read(pairs.map(_._1)), right.read(pairs.map(_._2)))

  private[this] def partsOf(
      partition: Int,
      probing: Probing,
      left: SkewedInput,
      right: SkewedInput
  ): Seq[(ShufflePartitionSpec, ShufflePartitionSpec)] = {
    def parts(input: SkewedInput, side: Side) =
      if (isFree(probing, side)) input.parts(partition) else Seq(input.whole(partition))
    val (ls, rs) = (parts(left, Side.R), parts(right, Side.S))
    if (ls.size.toLong * rs.size <= MostParts) for { l <- ls; r <- rs } yield (l, r)
    else if (ls.size >= rs.size) ls.map(_ -> right.whole(partition))
    else rs.map(left.whole(partition) -> _)
  }

  private[this] def isFree(probing: Probing, side: Side): Boolean =
    probing.isInner || !probing.unfound && (side eq probing.side)

  /** Of one pair of partitions; each is a task. */
  private[this] val MostParts = 1000
}

/** An input that is an exchange which has run, with or without a sort above it. */
final private case class SkewedInput(
    input: SparkPlan,
    stage: ShuffleQueryStageExec,
    shuffle: Int,
    sizes: Array[Long],
    conf: SQLConf
) {
  def partitions: Int = sizes.length

  private[this] val skewed = math.max(
    conf.getConf(SQLConf.SKEW_JOIN_SKEWED_PARTITION_THRESHOLD).toDouble,
    sizes.sorted.apply(sizes.length / 2) * conf.getConf(SQLConf.SKEW_JOIN_SKEWED_PARTITION_FACTOR)
  )

  /** How large a part is: like the partitions that are not skewed, if those are not small. */
  private[this] val target: Long = {
    val others = sizes.filter(_ <= skewed)
    val average = if (others.isEmpty) 0L else others.sum / others.length
    math.max(conf.getConf(SQLConf.ADVISORY_PARTITION_SIZE_IN_BYTES), average)
  }

  def whole(partition: Int): ShufflePartitionSpec =
    CoalescedPartitionSpec(partition, partition + 1, sizes(partition))

  def parts(partition: Int): Seq[ShufflePartitionSpec] =
    if (sizes(partition) <= skewed) Seq(whole(partition))
    else
      ShufflePartitionsUtil
        .createSkewPartitionSpecs(shuffle, partition, target)
        .getOrElse(Seq(whole(partition)))

  /** The input in these parts. */
  def read(parts: Seq[ShufflePartitionSpec]): SparkPlan = input.transformUp {
    case s: ShuffleQueryStageExec if s eq stage => AQEShuffleReadExec(s, parts)
  }
}

private object SkewedInput {
  def from(input: SparkPlan, conf: SQLConf): Option[SkewedInput] =
    for {
      stage <- stageOf(input)
      stats <- stage.mapStats if stats.bytesByPartitionId.nonEmpty
    } yield SkewedInput(input, stage, stats.shuffleId, stats.bytesByPartitionId, conf)

  private[this] def stageOf(input: SparkPlan): Option[ShuffleQueryStageExec] = input match {
    case sort: SortExec => stageOf(sort.child)
    case stage: ShuffleQueryStageExec if stage.isMaterialized => Some(stage)
    case _ => None
  }
}

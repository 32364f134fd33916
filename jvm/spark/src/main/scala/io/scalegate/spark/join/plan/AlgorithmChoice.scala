package io.scalegate.spark.join.plan

import org.apache.spark.sql.catalyst.optimizer.JoinSelectionHelper
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.scalegate.RealTimeMode

import io.scalegate.spark.join.lookup.KeptRows
import io.scalegate.spark.join.{KeyBound, Probing}
import io.scalegate.spark.plan.InputSize
import io.scalegate.spark.settings.{Algorithm, Errors, JoinOperator, NamedOperator, ScaleGateConf}
import io.scalegate.stream.Side

/** How a join is to be run, and why.
  *
  * @param probing
  *   with the probe side, which an inner join is free to choose
  */
final case class AlgorithmChoice(algorithm: Algorithm, probing: Probing, why: String)

/** Chooses by the sizes that Spark's statistics give the two inputs, after what the user asked for: first
  * by the hint, then by the setting.
  *
  *   - A side that Spark would broadcast is: then the other is not moved, and no key can be too frequent. Inputs
  *     that lie by their keys when adaptive execution learns that one is small stay as they lie.
  *   - A side whose partitions Spark would build hash tables of is indexed: then nothing is sorted.
  *   - Larger inputs, and those whose size is not known, are sorted, which memory cannot limit. Where that is no way,
  *     since the bounds are columns or the join is a full one, it is left to Spark; not so where bounds are columns and
  *     a sample shows that many rows have one key.
  *   - Where bounds are columns and there is no key, inputs too large to be broadcast meet in a matrix, which compares
  *     no more than Spark would.
  *   - A hint is honoured where neither sorting nor an index of partitions is a way: without a key, by a matrix.
  *   - A cached table beside a stream is broadcast once, and kept for the batches to come.
  *   - In Real-Time Mode, where a stream's rows are to be given as they come, a table beside it is broadcast.
  */
object AlgorithmChoice extends JoinSelectionHelper {

  /** None for a join that is left to Spark. */
  def forJoin(c: WindowJoinCandidate, free: Probing, conf: SQLConf): Option[AlgorithmChoice] =
    if (isInRealTime(c) && ScaleGateConf.sparkChecksRealTime(conf)) {
      if (c.isRequested) throw Errors.realTimeSetting(ScaleGateConf.SparkChecksRealTime)
      None
    } else chosen(c, free, conf)

  private[this] def chosen(
      c: WindowJoinCandidate,
      free: Probing,
      conf: SQLConf
  ): Option[AlgorithmChoice] = {
    for {
      (algorithm, _) <- c.requested
      why <- obstacle(algorithm, c, free)
    } throw Errors.hintAlgorithm(algorithm.name, why)
    c.requested
      .orElse(ScaleGateConf.algorithm(conf).map(_ -> "as set"))
      .collect {
        case (algorithm, why) if isPossible(algorithm, c, free) =>
          val kept = if (algorithm == Algorithm.Broadcast) keeping(c, free, conf) else None
          AlgorithmChoice(algorithm, kept.getOrElse(smallest(c, free)), why)
      }
      .orElse(bySize(c, free, conf))
  }

  private[this] def bySize(
      c: WindowJoinCandidate,
      free: Probing,
      conf: SQLConf
  ): Option[AlgorithmChoice] = {
    val held = smallest(c, free)
    val input = c.inputs(held.side.opposite)
    def possible(algorithm: Algorithm) = isPossible(algorithm, c, free)
    def choice(algorithm: Algorithm, why: String) = Some(AlgorithmChoice(algorithm, held, why))
    val isSmall = isInRealTime(c) || canBroadcastBySize(input, conf) && !isExchanged(c)
    val kept = keeping(c, free, conf).filter(_ => possible(Algorithm.Broadcast))
    if (kept.nonEmpty) kept.map(AlgorithmChoice(Algorithm.Broadcast, _, KeptRows.Why))
    else if (isSmall && possible(Algorithm.Broadcast))
      choice(Algorithm.Broadcast, s"it has ${sizeOf(input)}")
    else if (possible(Algorithm.Index) && hasFewKeys(c, conf))
      choice(Algorithm.Index, "its keys are few for so many rows")
    else if (canIndexBySize(input, conf) && possible(Algorithm.Index))
      choice(
        Algorithm.Index,
        s"it has ${sizeOf(input)} in ${conf.numShufflePartitions} partitions"
      )
    else if (possible(Algorithm.Sweep)) {
      val why = s"the side to index has ${sizeOf(input)}"
      Some(AlgorithmChoice(Algorithm.Sweep, free, why))
    } else if (c.isRequested)
      Seq(Algorithm.Index, Algorithm.Matrix, Algorithm.Broadcast)
        .find(possible)
        .flatMap(choice(_, c.unbounded.getOrElse("as hinted")))
    else if (isOfColumns(c) && possible(Algorithm.Matrix))
      choice(Algorithm.Matrix, "no equality key, and neither side is small")
    else None
  }

  /** Spark would compare each row with every other. */
  private[this] def isOfColumns(c: WindowJoinCandidate): Boolean =
    c.leftKeys.isEmpty && c.inequalities.nonEmpty

  /** Whether many rows have one key, of a join whose bounds are columns: Spark would compare all of a key's rows, and where
    * an index of them does not fit, they are indexed in blocks.
    */
  private[this] def hasFewKeys(c: WindowJoinCandidate, conf: SQLConf): Boolean =
    c.leftKeys.nonEmpty && c.inequalities.nonEmpty && JoinSample.forJoin(c, conf).exists {
      sample =>
        Seq(sample.left, sample.right).forall(side => side.counts.size * 2 <= side.rows)
    }

  private[this] def isExchanged(c: WindowJoinCandidate): Boolean =
    c.leftKeys.nonEmpty && InputSize.areExchanged(c.join.left, c.join.right)

  /** The size up to which Spark itself would build a hash table of each partition. */
  private[this] def canIndexBySize(input: LogicalPlan, conf: SQLConf): Boolean =
    input.stats.sizeInBytes < BigInt(conf.autoBroadcastJoinThreshold) * conf.numShufflePartitions

  private[this] def isPossible(
      algorithm: Algorithm,
      c: WindowJoinCandidate,
      probing: Probing
  ): Boolean = obstacle(algorithm, c, probing).isEmpty

  /** Why a join cannot be run this way. */
  private[this] def obstacle(
      algorithm: Algorithm,
      c: WindowJoinCandidate,
      probing: Probing
  ): Option[String] = {
    val keyed = c.leftKeys.nonEmpty
    val isSweep = algorithm == Algorithm.Sweep
    val operator = Some(algorithm).collect { case NamedOperator(o, _) => o }
    val isOperator = operator.nonEmpty
    if (algorithm != Algorithm.Broadcast && isInRealTime(c))
      Some(
        "in Real-Time Mode rows are given before the stream ends, so that the table must be held"
      )
    else if (isOperator && c.operatorWindow.isEmpty)
      Some("it joins within a window, and no time or whole number is bounded by constants")
    else if (algorithm == Algorithm.Matrix)
      if (keyed) Some("rows with equal keys are brought together by the key") else None
    else if (algorithm != Algorithm.Broadcast && c.unbounded.nonEmpty)
      c.unbounded.map(why => s"$why, so every row must meet every other")
    else if (isSweep && c.inequalities.nonEmpty)
      Some("it slides a window of a fixed width, and this condition's bounds are columns")
    else if (algorithm != Algorithm.Index && !isOperator && probing.unfound)
      Some("a full join is decided in the task that holds all of a row's matches, by an index")
    else if (algorithm == Algorithm.Index && c.inequalities.nonEmpty && !keyed)
      Some("where bounds are columns, rows can be exchanged by an equality key alone")
    else if (!isSweep && keyed && KeyBound.from(c.leftKeys, c.rightKeys).isEmpty)
      Some("its keys may be equal without being the same bytes")
    else operator.flatMap(JoinOperator.obstacle(_, keyed, probing.isInner))
  }

  /** The way to probe with a cached table held, beside a stream. */
  private[this] def keeping(
      c: WindowJoinCandidate,
      free: Probing,
      conf: SQLConf
  ): Option[Probing] =
    for {
      table <- KeptRows.worthKeeping(c.inputs, conf)
      if free.isInner || free.side.opposite == table
    } yield free.copy(side = table.opposite)

  /** The way to probe with the smaller side held; only an inner join has two. */
  private[this] def smallest(c: WindowJoinCandidate, free: Probing): Probing =
    if (free.isInner && isLeftHeld(c)) free.copy(side = Side.S) else free

  private[this] def isLeftHeld(c: WindowJoinCandidate): Boolean =
    if (isInRealTime(c)) c.join.right.isStreaming
    else c.join.left.stats.sizeInBytes < c.join.right.stats.sizeInBytes

  private[this] def isInRealTime(c: WindowJoinCandidate): Boolean = RealTimeMode.isIn(c.join)

  private[this] def sizeOf(input: LogicalPlan): String = InputSize.from(input).describe
}

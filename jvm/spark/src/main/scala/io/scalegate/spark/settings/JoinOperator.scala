package io.scalegate.spark.settings

import io.scalegate.baseline.handshake.{HandshakeJoin, LowLatencyHandshakeJoin}
import io.scalegate.baseline.{CellJoin, RoundRobinIndexJoin, ScaleOij, SplitJoin}
import io.scalegate.index.{
  BPlusTreeIndex,
  ChainedIndex,
  ConcurrentPimTree,
  ImTree,
  MergePolicy,
  PimTree
}
import io.scalegate.indexjoin.{IndexJoin, ParallelIndexJoin}
import io.scalegate.interval.{IntervalJoin, IntervalPattern}
import io.scalegate.join.{JoinStrategy, ordered}
import io.scalegate.matrix

/** An operator of the papers, or one that they compare with, by the name that a hint gives it.
  *
  * @param title
  *   what EXPLAIN calls it
  * @param strategy
  *   of so many threads; those of one thread take no account of the number
  * @param needsKey
  *   whether it spreads rows by an equality key
  * @param innerOnly
  *   whether its results come in no order, so that it is never certain that a row has no match
  */
sealed abstract class JoinOperator(
    name: String,
    val title: String,
    val strategy: Int => JoinStrategy,
    val needsKey: Boolean = false,
    val innerOnly: Boolean = false
) extends Algorithm(name)

object JoinOperator {

  /** Why one does not run a join, if it does not.
    *
    * @param isKeyed
    *   whether an equality key brings rows together
    */
  def obstacle(operator: JoinOperator, isKeyed: Boolean, isInner: Boolean): Option[String] =
    if (operator.needsKey && !isKeyed)
      Some("it spreads rows by an equality key, and the condition has none")
    else if (operator.innerOnly && !isInner)
      Some("its results come in no order, so it runs inner joins alone: 'llhj' runs the others")
    else None

  /** Merge ratios as in the PIM-Tree paper's experiments, of one thread and of several (§5.2). */
  private[this] val (alone, together) = (1.0 / 8, 1.0)

  case object ScaleJoin
      extends JoinOperator("scalejoin", "ScaleJoin", new ordered.ScaleJoin(_))
  case object DpJoin
      extends JoinOperator("dp-join", "DP-Join", matrix.MatrixJoin.ofWorkers(_, 1, 1))
  case object Pim
      extends JoinOperator(
        "pim",
        "PIM-Tree",
        threads =>
          new ParallelIndexJoin(threads, w => new ConcurrentPimTree(MergePolicy(w, together)))
      )
  case object PimAlone
      extends JoinOperator(
        "pim1",
        "PIM-Tree, one thread",
        _ => new IndexJoin(w => new PimTree(MergePolicy(w, alone)))
      )
  case object Im
      extends JoinOperator(
        "im",
        "IM-Tree, one thread",
        _ => new IndexJoin(w => new ImTree(MergePolicy(w, alone)))
      )
  case object BPlus
      extends JoinOperator(
        "bplus",
        "B+-Tree, one thread",
        _ => new IndexJoin(_ => new BPlusTreeIndex)
      )
  case object Chained
      extends JoinOperator(
        "chained",
        "chained index, one thread",
        _ => new IndexJoin(w => new ChainedIndex(w, length = 2, archiveImmutable = true))
      )
  case object RoundRobin
      extends JoinOperator(
        "roundrobin",
        "B+-Trees, round robin",
        new RoundRobinIndexJoin(_, _ => new BPlusTreeIndex)
      )
  case object KeyPartitioned
      extends JoinOperator(
        "kp",
        "PPOIJ by key",
        new IntervalJoin(_, IntervalPattern.KeyPartitioned),
        needsKey = true
      )
  case object DataPartitioned
      extends JoinOperator(
        "dp",
        "PPOIJ by data",
        new IntervalJoin(_, IntervalPattern.DataPartitioned),
        needsKey = true
      )
  case object Hybrid
      extends JoinOperator(
        "hp",
        "PPOIJ, hybrid",
        new IntervalJoin(_, IntervalPattern.Hybrid()),
        needsKey = true
      )
  case object OfScaleOij extends JoinOperator("scale-oij", "Scale-OIJ", new ScaleOij(_))
  case object OfCells extends JoinOperator("celljoin", "CellJoin", new CellJoin(_))
  case object Handshake
      extends JoinOperator(
        "handshake",
        "handshake join",
        new HandshakeJoin(_),
        innerOnly = true
      )
  case object LowLatencyHandshake
      extends JoinOperator(
        "llhj",
        "low-latency handshake join",
        new LowLatencyHandshakeJoin(_)
      )
  case object OfSplits extends JoinOperator("splitjoin", "SplitJoin", new SplitJoin(_))

  val all: Seq[JoinOperator] = Seq(
    ScaleJoin,
    DpJoin,
    Pim,
    PimAlone,
    Im,
    BPlus,
    Chained,
    RoundRobin,
    KeyPartitioned,
    DataPartitioned,
    Hybrid,
    OfScaleOij,
    OfCells,
    Handshake,
    LowLatencyHandshake,
    OfSplits
  )
}

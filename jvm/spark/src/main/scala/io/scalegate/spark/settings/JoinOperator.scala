package io.scalegate.spark.settings

import io.scalegate.baseline.handshake.{HandshakeJoin, LowLatencyHandshakeJoin}
import io.scalegate.baseline.{CellJoin, RoundRobinIndexJoin, ScaleOij, SplitJoin}
import io.scalegate.index.{
  BPlusTreeIndex,
  ChainedIndex,
  ConcurrentPimTree,
  ImTree,
  MergePolicy,
  PimTree,
  SlidingIndex
}
import io.scalegate.indexjoin.{IndexJoin, ParallelIndexJoin}
import io.scalegate.interval.sharednothing.SharedNothingJoin
import io.scalegate.interval.{IntervalJoin, IntervalPattern}
import io.scalegate.join.{JoinStrategy, ordered}
import io.scalegate.matrix.MatrixJoin

/** An operator of the papers, or one that they compare with, by the name that a hint gives it.
  *
  * @param title
  *   what EXPLAIN calls it
  * @param own
  *   what may be said of it beside its name and [[OperatorOption.Inputs]]; one that does not take
  *   [[OperatorOption.Threads]] has one
  * @param strategy
  *   as the options say
  * @param needsKey
  *   whether it spreads rows by an equality key
  * @param innerOnly
  *   whether its results come in no order, so that it is never certain that a row has no match
  */
sealed abstract class JoinOperator(
    val name: String,
    val title: String,
    own: Seq[OperatorOption[_]],
    val strategy: OperatorOptions => JoinStrategy,
    val needsKey: Boolean = false,
    val innerOnly: Boolean = false
) extends TakesOptions {
  val takes: Seq[OperatorOption[_]] = own :+ OperatorOption.Inputs
}

object JoinOperator {
  import OperatorOption._

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

  private[this] def merging(options: OperatorOptions, unlessSaid: Double)(window: Int) =
    MergePolicy(window, options.getOrElse(MergeRatio, unlessSaid))

  private[this] def depth(options: OperatorOptions) =
    options.getOrElse(InsertionDepth, PimTree.DefaultDepth)

  private[this] def dimensions(options: OperatorOptions) = options.getOrElse(Dimensions, 1)

  /** On one thread. */
  private[this] def indexed(options: OperatorOptions)(newIndex: Int => SlidingIndex) =
    new IndexJoin(newIndex, dimensions = dimensions(options))

  private[this] def interval(options: OperatorOptions, pattern: IntervalPattern) = {
    val batch = options.getOrElse(Batch, IntervalJoin.Batch)
    if (isByEmitters(options))
      new SharedNothingJoin(options.threads, pattern, batch, inOrder = true)
    else new IntervalJoin(options.threads, pattern, batch)
  }

  private[this] def isByEmitters(options: OperatorOptions) = options.getOrElse(Emitters, false)

  private[this] def hybrid(options: OperatorOptions): IntervalPattern =
    if (isByEmitters(options)) calibrated(options) else planning(options)

  private[this] def calibrated(options: OperatorOptions): IntervalPattern = {
    val unlessSaid = IntervalPattern.Calibrated()
    unlessSaid.copy(
      theta = options.getOrElse(Theta, unlessSaid.theta),
      maxSplitting = options.get(Splitting),
      choice = options.getOrElse(Split, unlessSaid.choice)
    )
  }

  private[this] def planning(options: OperatorOptions): IntervalPattern = {
    val unlessSaid = IntervalPattern.Hybrid()
    val theta = options.getOrElse(Theta, unlessSaid.theta)
    unlessSaid.copy(
      theta = theta,
      maxSplitting = options.get(Splitting),
      drift = math.max(theta, unlessSaid.drift),
      choice = options.getOrElse(Split, unlessSaid.choice)
    )
  }

  private[this] def matrix(options: OperatorOptions) = {
    val layout = options.get(Layout)
    if (options.getOrElse(Adaptive, false))
      layout.fold(MatrixJoin.adaptive(options.threads))(MatrixJoin.adaptive)
    else layout.fold(MatrixJoin.ofWorkers(options.threads, 1, 1))(new MatrixJoin(_))
  }

  private[this] val OneThread = Nil
  private[this] val Several = Seq(Threads)

  case object ScaleJoin
      extends JoinOperator(
        "scalejoin",
        "ScaleJoin",
        Several,
        o => new ordered.ScaleJoin(o.threads)
      )
  case object DpJoin
      extends JoinOperator("dp-join", "DP-Join", Several ++ Seq(Layout, Adaptive), matrix)
  case object Pim
      extends JoinOperator(
        "pim",
        "PIM-Tree",
        Several ++ Seq(MergeRatio, InsertionDepth, Dimensions, TaskSize),
        o =>
          new ParallelIndexJoin(
            o.threads,
            w => new ConcurrentPimTree(merging(o, together)(w), depth(o)),
            o.getOrElse(TaskSize, ParallelIndexJoin.TaskSize),
            dimensions = dimensions(o)
          )
      )
  case object PimAlone
      extends JoinOperator(
        "pim1",
        "sequential PIM-Tree",
        OneThread ++ Seq(MergeRatio, InsertionDepth, Dimensions),
        o => indexed(o)(w => new PimTree(merging(o, alone)(w), depth(o)))
      )
  case object Im
      extends JoinOperator(
        "im",
        "IM-Tree",
        OneThread ++ Seq(MergeRatio, Dimensions),
        o => indexed(o)(w => new ImTree(merging(o, alone)(w)))
      )
  case object BPlus
      extends JoinOperator(
        "bplus",
        "B+-Tree",
        OneThread :+ Dimensions,
        indexed(_)(_ => new BPlusTreeIndex)
      )
  case object Chained
      extends JoinOperator(
        "chained",
        "chained index",
        OneThread ++ Seq(Length, Dimensions),
        o =>
          indexed(o)(w => new ChainedIndex(w, o.getOrElse(Length, 2), archiveImmutable = true))
      )
  case object RoundRobin
      extends JoinOperator(
        "roundrobin",
        "B+-Trees, round robin",
        Several,
        o => new RoundRobinIndexJoin(o.threads, _ => new BPlusTreeIndex)
      )
  case object KeyPartitioned
      extends JoinOperator(
        "kp",
        "PPOIJ by key",
        Several ++ Seq(Batch, Emitters),
        interval(_, IntervalPattern.KeyPartitioned),
        needsKey = true
      )
  case object DataPartitioned
      extends JoinOperator(
        "dp",
        "PPOIJ by data",
        Several ++ Seq(Batch, Emitters),
        interval(_, IntervalPattern.DataPartitioned),
        needsKey = true
      )
  case object Hybrid
      extends JoinOperator(
        "hp",
        "PPOIJ, hybrid",
        Several ++ Seq(Splitting, Theta, Split, Batch, Emitters),
        o => interval(o, hybrid(o)),
        needsKey = true
      )
  case object OfScaleOij
      extends JoinOperator("scale-oij", "Scale-OIJ", Several, o => new ScaleOij(o.threads))
  case object OfCells
      extends JoinOperator(
        "celljoin",
        "CellJoin",
        Several :+ Batch,
        o => new CellJoin(o.threads, o.getOrElse(Batch, CellJoin.Batch))
      )
  case object Handshake
      extends JoinOperator(
        "handshake",
        "handshake join",
        Several,
        o => new HandshakeJoin(o.threads),
        innerOnly = true
      )
  case object LowLatencyHandshake
      extends JoinOperator(
        "llhj",
        "low-latency handshake join",
        Several,
        o => new LowLatencyHandshakeJoin(o.threads)
      )
  case object OfSplits
      extends JoinOperator("splitjoin", "SplitJoin", Several, o => new SplitJoin(o.threads))

  /** Lazy, as each of them needs this object first. */
  lazy val all: Seq[JoinOperator] = Seq(
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

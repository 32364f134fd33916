package io.scalegate.bench.index

import io.scalegate.index.{
  BPlusTreeIndex,
  ChainedIndex,
  ConcurrentPimTree,
  ConcurrentSlidingIndex,
  ImTree,
  MergePolicy,
  PimTree,
  SkipListIndex,
  SlidingIndex
}

/** The indexes by the names that the benchmarks' parameters use. */
object IndexUnderTest {

  /** The merge ratio of the paper's single-threaded experiments (§5.2). */
  val MergeRatio: Double = 1.0 / 8

  /** The merge ratio of the paper's multi-threaded experiments (§5.2). */
  val ParallelMergeRatio: Double = 1

  def concurrent(mergeRatio: Double, window: Int): ConcurrentSlidingIndex =
    new ConcurrentPimTree(MergePolicy(window, mergeRatio))

  def apply(name: String, window: Int): SlidingIndex = name match {
    case "B+" => new BPlusTreeIndex
    case "B-chain" => new ChainedIndex(window, length = 2, archiveImmutable = false)
    case "IB-chain" => new ChainedIndex(window, length = 2, archiveImmutable = true)
    case "B-chain8" => new ChainedIndex(window, length = 8, archiveImmutable = false)
    case "IB-chain8" => new ChainedIndex(window, length = 8, archiveImmutable = true)
    case "IM" => new ImTree(MergePolicy(window, MergeRatio))
    case "PIM" => new PimTree(MergePolicy(window, MergeRatio))
    case "concurrent PIM" => new ConcurrentPimTree(MergePolicy(window, MergeRatio))
    case "skip list" => new SkipListIndex
    case Tuned(kind, ratio, depth) => tuned(kind, MergePolicy(window, 1.0 / ratio), depth)
    case other => throw new IllegalArgumentException(s"there is no index $other")
  }

  private def tuned(kind: String, policy: MergePolicy, depth: Int): SlidingIndex = kind match {
    case "IM" => new ImTree(policy)
    case "PIM" => new PimTree(policy, depth)
    case "cPIM" => new ConcurrentPimTree(policy, depth)
  }

  /** `PIM/16/2`: merge ratio 1/16, insertion depth 2. */
  private object Tuned {
    def unapply(name: String): Option[(String, Int, Int)] = name.split('/') match {
      case Array(kind, ratio, depth) => Some((kind, ratio.toInt, depth.toInt))
      case _ => None
    }
  }
}

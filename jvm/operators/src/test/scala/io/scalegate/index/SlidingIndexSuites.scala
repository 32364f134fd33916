package io.scalegate.index

import io.scalegate.Sample

class BPlusTreeIndexSuite extends SlidingIndexContract(_ => new BPlusTreeIndex, w => w)

class SkipListIndexSuite extends SlidingIndexContract(_ => new SkipListIndex, w => w)

/** The chain's subindexes end where they are full, not where the window does. */
abstract class ChainedIndexContract(length: Int, archiveImmutable: Boolean)
    extends SlidingIndexContract(
      new ChainedIndex(_, length, archiveImmutable),
      w => w + w / (length - 1) + 1
    )

class BChain2Suite extends ChainedIndexContract(2, archiveImmutable = false)
class BChain5Suite extends ChainedIndexContract(5, archiveImmutable = false)
class IBChain2Suite extends ChainedIndexContract(2, archiveImmutable = true)
class IBChain5Suite extends ChainedIndexContract(5, archiveImmutable = true)

class ImTreeEighthSuite
    extends SlidingIndexContract(w => new ImTree(MergePolicy(w, 0.125)), w => w + w / 8 + 1)
class ImTreeWholeSuite
    extends SlidingIndexContract(w => new ImTree(MergePolicy(w, 1)), w => 2 * w + 1)

abstract class PimTreeContract(depth: Int, mergeRatio: Double)
    extends SlidingIndexContract(
      w => new PimTree(MergePolicy(w, mergeRatio), depth),
      w => w + (mergeRatio * w).toInt + 1
    )

class PimTreeDepth0Suite extends PimTreeContract(0, 0.25)
class PimTreeDepth1Suite extends PimTreeContract(1, 0.125)
class PimTreeDepth2Suite extends PimTreeContract(2, 0.0625)
class PimTreeLeavesSuite extends PimTreeContract(10, 0.5)
class PimTreeWholeSuite extends PimTreeContract(2, 1)
class PimTreeEachInsertionSuite extends PimTreeContract(2, 1e-9) with MergedEachTime

/** A merge may begin an eighth of its threshold late. */
abstract class ConcurrentPimTreeContract(depth: Int, mergeRatio: Double)
    extends SlidingIndexContract(
      w => new ConcurrentPimTree(MergePolicy(w, mergeRatio), depth),
      w => w + (mergeRatio * w * 9 / 8).toInt + 1
    )

class ConcurrentPimTreeDepth0Suite extends ConcurrentPimTreeContract(0, 0.25)
class ConcurrentPimTreeDepth1Suite extends ConcurrentPimTreeContract(1, 0.125)
class ConcurrentPimTreeLeavesSuite extends ConcurrentPimTreeContract(10, 0.5)
class ConcurrentPimTreeWholeSuite extends ConcurrentPimTreeContract(2, 1)
class ConcurrentPimTreeEachInsertionSuite
    extends ConcurrentPimTreeContract(2, 1e-9)
    with MergedEachTime

/** Each insertion takes as long as the window is large. */
sealed trait MergedEachTime extends SlidingIndexContract {
  override protected def window: Int = if (Sample.isSoak) 1000 else 300
  override protected def tried: Int = 50
}

package io.scalegate.interval.sharednothing

import io.scalegate.interval.IntervalPattern
import io.scalegate.interval.IntervalPattern.{Calibrated, DataPartitioned, KeyPartitioned}
import io.scalegate.join.JoinStrategyContract

/** The paper's patterns behind the trait of all strategies. Without order a result comes as soon as
  * it is found, and a batch waits for its source in either mode.
  */
abstract class SharedNothingContract(
    replicas: Int,
    pattern: IntervalPattern,
    batch: Int,
    inOrder: Boolean
) extends JoinStrategyContract(
      new SharedNothingJoin(replicas, pattern, batch, inOrder),
      comparesAll = false,
      cases = 40,
      ordered = inOrder,
      prompt = false,
      evenly = false,
      keyed = true,
      inTime = true
    )

class KeyPartitionedBatch1Suite extends SharedNothingContract(2, KeyPartitioned, 1, false)
class KeyPartitionedBatch16Suite extends SharedNothingContract(3, KeyPartitioned, 16, true)
class DataPartitionedBatch1Suite extends SharedNothingContract(2, DataPartitioned, 1, true)
class DataPartitionedBatch7Suite extends SharedNothingContract(3, DataPartitioned, 7, false)

/** The plan comes after a few tuples, so that the random cases change over. */
class CalibratedBatch1Suite
    extends SharedNothingContract(2, Calibrated(theta = 1, calibration = 4), 1, true)
class CalibratedBatch3Suite
    extends SharedNothingContract(3, Calibrated(theta = 1, calibration = 9), 3, false)

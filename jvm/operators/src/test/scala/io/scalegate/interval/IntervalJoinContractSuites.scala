package io.scalegate.interval

import io.scalegate.join.{JoinStrategy, JoinStrategyContract}
import io.scalegate.partition.SplitChoice

/** The three patterns behind the trait of all strategies. */
abstract class IntervalJoinContract(strategy: JoinStrategy)
    extends JoinStrategyContract(strategy, comparesAll = false, cases = 12, keyed = true)

class KeyPartitioned2Suite
    extends IntervalJoinContract(new IntervalJoin(2, IntervalPattern.KeyPartitioned, batch = 1))
class KeyPartitioned3Suite
    extends IntervalJoinContract(new IntervalJoin(3, IntervalPattern.KeyPartitioned))

/** Equal shares of every comparison, as far as a key's rows go. */
class DataPartitioned2Suite
    extends JoinStrategyContract(
      new IntervalJoin(2, IntervalPattern.DataPartitioned),
      cases = 12,
      keyed = true
    )
class DataPartitioned3Suite
    extends JoinStrategyContract(
      new IntervalJoin(3, IntervalPattern.DataPartitioned, batch = 7),
      cases = 12,
      keyed = true
    )

/** Plans are made after a few tuples, so that the random cases go through several. */
abstract class HybridContract(replicas: Int, pattern: IntervalPattern.Hybrid)
    extends IntervalJoinContract(new IntervalJoin(replicas, pattern))

class Hybrid2Suite
    extends HybridContract(
      2,
      IntervalPattern.Hybrid(calibration = 4, theta = 1, drift = 1, choice = SplitChoice.EveryKey)
    )
class Hybrid3Suite
    extends HybridContract(3, IntervalPattern.Hybrid(calibration = 9, maxSplitting = Some(2)))

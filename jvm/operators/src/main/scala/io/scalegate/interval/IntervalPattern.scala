package io.scalegate.interval

import io.scalegate.partition.{KeySplit, SplitChoice}

/** How an interval join spreads its work over replicas (PPOIJ §3): by key, by data, or both. */
sealed trait IntervalPattern

object IntervalPattern {

  /** KP-OIJ: each key has one replica. Least work in all; a hot key drowns its replica. */
  case object KeyPartitioned extends IntervalPattern {
    override def toString: String = "KP"
  }

  /** DP-OIJ: every replica has an equal part of each key. Evenly loaded whatever the keys; every
    * replica looks at every tuple.
    */
  case object DataPartitioned extends IntervalPattern {
    override def toString: String = "DP"
  }

  /** HP-OIJ: one replica for a cold key, several for a hot one, by Algorithm 1 on measured
    * frequencies. It starts as KP; then it balances, and again whenever the keys have drifted.
    *
    * @param theta
    *   `θ`: a plan is good enough when the highest load is at most so many times the average
    * @param maxSplitting
    *   the most replicas that one key may have; None for all
    * @param calibration
    *   tuples of both streams that are counted for the first plan. From then on a sample is
    *   counted, one tuple in 16, and the balance looked at after half as many, or two of each key:
    *   every `8 * calibration` tuples where keys are few.
    * @param drift
    *   the plan is made anew when the highest load is more than so many times the average
    * @param choice
    *   which keys are split: the paper's rule, or ours, which splits fewer
    * @param tupleCost
    *   what it takes a replica to look up a tuple's key, expire and probe, in comparisons of a
    *   column; every replica of a key bears that for each of its tuples. Less where a condition is
    *   dearer than such a comparison; 0 for the paper's loads, which a split divides entirely.
    */
  final case class Hybrid(
      theta: Double = 1.05,
      maxSplitting: Option[Int] = None,
      calibration: Int = 4096,
      drift: Double = 1.2,
      choice: SplitChoice = SplitChoice.Busiest,
      tupleCost: Double = KeyLoad.TupleCost
  ) extends IntervalPattern {
    requirePlan(theta, maxSplitting, calibration)
    require(drift >= theta, s"drift $drift is below theta $theta: no plan could ever satisfy it")

    require(
      tupleCost >= 0 && !tupleCost.isInfinite,
      s"a tuple costs as much as so many comparisons, 0 or more, not $tupleCost"
    )

    override def toString: String = "HP"
  }

  /** HP-OIJ as the paper has it (§4.3): KP while key frequencies are counted, then one plan by
    * Algorithm 1, for good.
    *
    * @param theta
    *   `θ`, as in [[Hybrid]]
    * @param maxSplitting
    *   as in [[Hybrid]]
    * @param calibration
    *   tuples of all sources that are counted for the plan
    * @param choice
    *   as in [[Hybrid]]
    */
  final case class Calibrated(
      theta: Double = 1.05,
      maxSplitting: Option[Int] = None,
      calibration: Int = 4096,
      choice: SplitChoice = SplitChoice.EveryKey
  ) extends IntervalPattern {
    requirePlan(theta, maxSplitting, calibration)

    /** The same where nobody calibrates but the replicas themselves. */
    private[interval] def hybrid: Hybrid = Hybrid(
      theta,
      maxSplitting,
      calibration,
      drift = Double.PositiveInfinity,
      choice,
      tupleCost = 0
    )

    override def toString: String = "HP, calibrated"
  }

  private[this] def requirePlan(
      theta: Double,
      maxSplitting: Option[Int],
      calibration: Int
  ): Unit = {
    new KeySplit(1, theta, 1) // refuses a theta that is out of range
    require(maxSplitting.forall(_ >= 1), s"a key needs a replica: splitting ${maxSplitting.get}")
    require(calibration > 0, s"frequencies are measured on at least one tuple, not $calibration")
  }
}

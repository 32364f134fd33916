package io.scalegate.join.interval

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
    *   counted, and the balance looked at after half as many, or as there are keys: every `4 * calibration` tuples
    *   where keys are few.
    * @param drift
    *   the plan is made anew when the highest load is more than so many times the average
    * @param choice
    *   which keys are split: the paper's rule, or ours, which splits fewer
    */
  final case class Hybrid(
      theta: Double = 1.05,
      maxSplitting: Option[Int] = None,
      calibration: Int = 4096,
      drift: Double = 1.2,
      choice: SplitChoice = SplitChoice.Busiest
  ) extends IntervalPattern {
    new KeySplit(1, theta, 1) // refuses a theta that is out of range
    require(maxSplitting.forall(_ >= 1), s"a key needs a replica: splitting ${maxSplitting.get}")
    require(calibration > 0, s"frequencies are measured on at least one tuple, not $calibration")
    require(drift >= theta, s"drift $drift is below theta $theta: no plan could ever satisfy it")

    override def toString: String = "HP"
  }
}

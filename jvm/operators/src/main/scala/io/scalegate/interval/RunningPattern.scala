package io.scalegate.interval

import io.scalegate.join.RunningJoin

/** An interval join under way, whatever carries its tuples. */
private[interval] trait RunningPattern extends RunningJoin {

  /** How keys are split at present. Any thread. */
  def splitting: KeySplitting

  override def details: Seq[(String, Double)] = Seq(
    "plans" -> splitting.plans.toDouble,
    "splitting" -> splitting.averageDegree,
    "highest_splitting" -> splitting.highestDegree.toDouble
  )
}

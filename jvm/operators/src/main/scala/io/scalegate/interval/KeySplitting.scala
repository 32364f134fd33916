package io.scalegate.interval

/** How keys are split at present.
  *
  * @param plans
  *   how often keys were assigned by Algorithm 1
  * @param averageDegree
  *   the average splitting degree of the keys that the last plan knew
  * @param highestDegree
  *   the highest of them
  */
final case class KeySplitting(plans: Int, averageDegree: Double, highestDegree: Int)

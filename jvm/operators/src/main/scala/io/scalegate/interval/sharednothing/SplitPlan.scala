package io.scalegate.interval.sharednothing

import io.scalegate.interval.KeySplitting

/** Which keys have several replicas, and which; the other keys keep the one that their hash gives
  * them.
  */
final private[sharednothing] class SplitPlan(
    val members: Map[Long, Array[Int]],
    val splitting: KeySplitting
)

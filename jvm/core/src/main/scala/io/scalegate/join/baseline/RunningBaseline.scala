package io.scalegate.join.baseline

import io.scalegate.join.RunningJoin

/** What a consumer may know of the results that it has not seen. */
private[baseline] trait RunningBaseline extends RunningJoin {

  /** No result still to come has a later tuple with a time below it; `Long.MaxValue` once all are
    * out. The consumer's thread only.
    */
  def frontier: Long
}

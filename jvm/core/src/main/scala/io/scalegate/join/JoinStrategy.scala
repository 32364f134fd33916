package io.scalegate.join

import io.scalegate.stream.Side

/** A way to run a stream join. Every strategy takes the same spec and gives the same results in
  * the same order: that of `ResultOrder`, whatever the interleaving of the sources and the
  * number of threads.
  */
trait JoinStrategy {
  def name: String

  /** Starts a join whose i-th source delivers tuples of `sources(i)`. The caller closes it. */
  def open(
      spec: JoinSpec,
      sources: IndexedSeq[Side],
      options: JoinOptions = JoinOptions()
  ): RunningJoin
}

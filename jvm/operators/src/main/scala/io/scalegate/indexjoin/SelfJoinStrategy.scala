package io.scalegate.indexjoin

import io.scalegate.join.{JoinOptions, JoinSpec, JoinStrategy, RunningJoin}
import io.scalegate.stream.Side

/** A strategy that can also join a stream with itself over one window and one index (the self-join of
  * PIM-Tree §5), where the join of two streams keeps, indexes and looks up each tuple twice.
  */
trait SelfJoinStrategy extends JoinStrategy {

  /** Starts a join of one stream with itself: each tuple meets those before it. Of a pair the earlier
    * tuple is R's and the later one S's, for the window, the bands, the residual predicate and
    * [[io.scalegate.join.JoinResult]]. So a pair comes once, and no tuple meets itself. The order of
    * results is that of [[open]]. The caller closes it.
    *
    * @param sources
    *   the physical streams that the stream comes in, at least one; each delivers tuples of [[Side.S]]
    */
  def openSelf(
      spec: JoinSpec,
      sources: Int,
      options: JoinOptions = JoinOptions()
  ): RunningJoin
}

private[indexjoin] object SelfJoinStrategy {

  /** The sides of so many sources. */
  def sides(sources: Int): IndexedSeq[Side] = {
    require(sources > 0, s"a join needs at least one source, not $sources")
    Vector.fill(sources)(Side.S)
  }
}

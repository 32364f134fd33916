package io.scalegate.join

import io.scalegate.stream.Side

/** The [[JoinType]] of a spec on any strategy whose results come in order. What is given for a tuple besides its pairs
  * is decided once, when its window can no longer grow, from the results of all of the strategy's threads.
  *
  * Results come in the order of their times. At one time the pairs come first, in `ResultOrder`, then the tuples
  * that match nothing, in their own order; so the results, too, depend on nothing but the input.
  */
final class TypedJoin(strategy: JoinStrategy) {
  def name: String = strategy.name

  /** As [[JoinStrategy.open]]. */
  def open(
      spec: JoinSpec,
      sources: IndexedSeq[Side],
      options: JoinOptions = JoinOptions()
  ): RunningTypedJoin = {
    require(
      spec.joinType == JoinType.Inner || spec.from == Long.MinValue,
      s"what a ${spec.joinType} join gives depends on all pairs: it cannot begin at ${spec.from}"
    )
    val decided = Vector[Side](Side.R, Side.S)
      .filter(spec.joinType.decides)
      .map(side => side -> new Undecided(spec.window, side))
      .toMap
    val pairs = strategy.open(spec.copy(joinType = JoinType.Inner), sources, options)
    new RunningTypedJoin(pairs, spec.joinType, decided)
  }
}

object TypedJoin {

  /** A join that runs already, of which the pairs alone are wanted. */
  def pairsOf(join: RunningJoin): RunningTypedJoin =
    new RunningTypedJoin(join, JoinType.Inner, Map.empty)
}

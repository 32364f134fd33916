package io.scalegate.interval.sharednothing

import io.scalegate.interval.{IntervalJoin, IntervalPattern, Lateness, LatenessJoin}
import io.scalegate.join.{JoinOptions, JoinSpec, JoinStrategy, RunningJoin}
import io.scalegate.stream.{CountWindow, Side, StreamTuple}

/** The online interval join as PPOIJ builds it (§4): emitters that send each tuple, in batches, to
  * the replicas of its key, and collectors that bring what several replicas get into an order that
  * is the same in all of them. [[IntervalJoin]], where every replica reads every tuple of one gate,
  * has the same patterns and is this project's own.
  *
  * The key is the spec's first band, `IntegralBand(type, 0, 0)`; the window is one of time. A tuple
  * waits in its batch for the next ones, or for a promise of its source (`advance`).
  *
  * @param replicas
  *   threads, each with the state of its part of the keys or of their rows
  * @param pattern
  *   key partitioned, data partitioned, or `IntervalPattern.Calibrated`, the paper's HP-OIJ
  * @param batch
  *   tuples that an emitter sends at once, no more than `JoinOptions.inputCapacity`
  * @param inOrder
  *   whether results come in the order of `io.scalegate.join.ordered.ResultOrder`, each as late as
  *   the slowest source; else they come as they are found, as in the paper
  */
final class SharedNothingJoin(
    replicas: Int,
    pattern: IntervalPattern = IntervalPattern.Calibrated(),
    batch: Int = IntervalJoin.Batch,
    inOrder: Boolean = false
) extends JoinStrategy {
  require(replicas > 0, s"a join needs at least one replica, not $replicas")
  require(batch > 0, s"a batch needs at least one tuple, not $batch")
  if (pattern.isInstanceOf[IntervalPattern.Hybrid]) throw SharedNothingJoin.refused(pattern)

  def name: String = s"shared-nothing interval join $pattern($replicas)"

  /** Sources deliver in order. */
  def open(spec: JoinSpec, sources: IndexedSeq[Side], options: JoinOptions): RunningJoin =
    started(spec, sources, options, t => t)

  /** Sources may deliver out of order, within bounds: their watermarks go with the tuples, which
    * join as they come.
    */
  def openUnordered(
      spec: JoinSpec,
      sources: IndexedSeq[Side],
      lateness: Lateness,
      options: JoinOptions = JoinOptions()
  ): LatenessJoin =
    LatenessJoin.ofArrivals(lateness)(started(spec, sources, options, _))

  private[this] def started(
      spec: JoinSpec,
      sources: IndexedSeq[Side],
      options: JoinOptions,
      tupleOf: StreamTuple => StreamTuple
  ): RunningSharedNothingJoin = {
    IntervalJoin.requireKey(spec)
    if (spec.window.isInstanceOf[CountWindow])
      throw new IllegalArgumentException(
        "a row-count window is a statement about the order of all tuples, which emitters and " +
          "collectors do not have: use IntervalJoin, or bound the time"
      )
    val join = new RunningSharedNothingJoin(
      spec,
      sources,
      options,
      replicas,
      pattern,
      batch,
      inOrder,
      tupleOf
    )
    join.start()
    join
  }
}

private[sharednothing] object SharedNothingJoin {
  def refused(pattern: IntervalPattern): IllegalArgumentException =
    new IllegalArgumentException(
      s"emitters go by one plan, which they get after a calibration: instead of $pattern, which " +
        "goes on looking at the keys, use IntervalPattern.Calibrated, or IntervalJoin"
    )
}

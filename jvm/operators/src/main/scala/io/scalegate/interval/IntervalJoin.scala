package io.scalegate.interval

import io.scalegate.band.{AttributeType, Band, IntegralBand}
import io.scalegate.join.{JoinOptions, JoinSpec, JoinStrategy, PairPredicate}
import io.scalegate.stream.{CountWindow, Side, TimeWindow}

/** The online interval join (PPOIJ): pairs of equal key whose times are within bounds of each
  * other, on several replicas that share nothing but their input. The key is the spec's first
  * band, `IntegralBand(type, 0, 0)`.
  *
  * @param replicas
  *   threads, each with the state of its part of the keys or of their rows
  * @param pattern
  *   how keys are spread over them
  * @param batch
  *   the most tuples that a replica takes before it lets the consumer have their results: more
  *   for throughput, fewer for latency
  */
final class IntervalJoin(
    replicas: Int,
    pattern: IntervalPattern = IntervalPattern.Hybrid(),
    batch: Int = IntervalJoin.Batch
) extends JoinStrategy {
  require(replicas > 0, s"a join needs at least one replica, not $replicas")
  require(batch > 0, s"a batch needs at least one tuple, not $batch")

  def name: String = s"interval join $pattern($replicas)"

  /** Sources deliver in order; results come in the order of `io.scalegate.join.ordered.ResultOrder`. */
  def open(spec: JoinSpec, sources: IndexedSeq[Side], options: JoinOptions): RunningIntervalJoin =
    started(spec, sources, options, new OrderedIntake(_))

  /** Sources may deliver out of order, within bounds; a reorder buffer precedes the join. Results
    * come in the order of `io.scalegate.join.ordered.ResultOrder`, later by the bound.
    */
  def openReordered(
      spec: JoinSpec,
      sources: IndexedSeq[Side],
      lateness: Lateness,
      options: JoinOptions = JoinOptions()
  ): LatenessJoin =
    new LatenessJoin(
      started(spec, sources, options, new ReorderedIntake(_, options.maxWindowRows)),
      lateness,
      givesArrivals = false
    )

  /** Sources may deliver out of order, within bounds, and tuples join as they come. What is
    * promised is the rows, not their order.
    */
  def openUnordered(
      spec: JoinSpec,
      sources: IndexedSeq[Side],
      lateness: Lateness,
      options: JoinOptions = JoinOptions()
  ): LatenessJoin = {
    if (spec.window.isInstanceOf[CountWindow])
      throw new IllegalArgumentException(
        "a row-count window is a statement about the order of the tuples; reorder them first " +
          "(openReordered), or bound the time"
      )
    new LatenessJoin(
      started(spec, sources, options, new UnorderedIntake(_)),
      lateness,
      givesArrivals = true
    )
  }

  private[this] def started(
      spec: JoinSpec,
      sources: IndexedSeq[Side],
      options: JoinOptions,
      intake: IntervalSteps => Intake
  ): RunningIntervalJoin = {
    IntervalJoin.requireKey(spec)
    val join = new RunningIntervalJoin(spec, sources, options, replicas, pattern, batch, intake)
    join.start()
    join
  }
}

object IntervalJoin {

  /** The paper's (§5). */
  val Batch: Int = 32

  /** The interval join of base stream R and probe stream S: `s.ts ∈ [r.ts + lwr, r.ts + upr]`.
    *
    * @param bands
    *   what else the attributes after the key must satisfy
    * @param cond
    *   the paper's `cond`
    */
  def spec(
      lwr: Long,
      upr: Long,
      key: AttributeType = AttributeType.Int64,
      bands: IndexedSeq[Band] = Vector.empty,
      cond: Option[() => PairPredicate] = None
  ): JoinSpec = JoinSpec(TimeWindow(lwr, upr), IntegralBand(key, 0, 0) +: bands, cond)

  private[interval] def requireKey(spec: JoinSpec): Unit =
    spec.bands.headOption match {
      case Some(IntegralBand(_, 0, 0)) => ()
      case first =>
        throw new IllegalArgumentException(
          "an interval join spreads its tuples by key: make the first band the key, " +
            s"IntegralBand(type, 0, 0), instead of ${first.getOrElse("no band")}; without a " +
            "key, use a join that needs none, such as ScaleJoin"
        )
    }
}

package io.scalegate.join.ordered

import io.scalegate.gate.{GateSource, ScaleGate}
import io.scalegate.join.{JoinOptions, JoinResult, JoinSource, JoinSpec, JoinType, RunningJoin}
import io.scalegate.stream.{EventOrder, Lifecycle, RunningOperator, Side, StreamTuple}

/** What the strategies behind an input gate (`SG_in` of ScaleJoin's Algorithm 1) have in common:
  * sources, failure and shut-down.
  */
abstract private[scalegate] class GatedJoin(
    spec: JoinSpec,
    sides: IndexedSeq[Side],
    options: JoinOptions
) extends RunningOperator[JoinResult](new Lifecycle("join"), options.idle)
    with RunningJoin {
  GatedJoin.requirePairs(spec, sides)

  protected val gate = new ScaleGate[StreamTuple](EventOrder.Tuples, options.inputCapacity)

  final val sources: IndexedSeq[JoinSource] = sides.zipWithIndex.map { case (side, i) =>
    new Source(side, i, gate.addSource(s"source $i ($side)"))
  }

  /** Whether the join's own threads must end. */
  final protected def isStopped: Boolean = ending.isStopped

  final private[this] class Source(val side: Side, val id: Int, source: GateSource[StreamTuple])
      extends GatedSource(source, ending, side.toString, spec.bands.length)
      with JoinSource {
    protected def isOfStream(t: StreamTuple): Boolean = t.side eq side
  }
}

private[scalegate] object GatedJoin {

  /** Refuses a join without sources, and one whose results are not its pairs. */
  def requirePairs(spec: JoinSpec, sides: IndexedSeq[Side]): Unit = {
    require(sides.nonEmpty, "a join needs at least one source")
    require(
      spec.joinType == JoinType.Inner,
      s"a strategy gives the pairs of an inner join; open a ${spec.joinType} join by TypedJoin"
    )
  }
}

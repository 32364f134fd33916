package io.scalegate.spark.join.operator

import io.scalegate.join.{JoinSource, RunningTypedJoin}
import io.scalegate.stream.{SaturatingMath, Side, StreamTuple}

/** The sources of one side of a running join, to which the side's tuples are dealt in the order of their times: those
  * of the next time to the next source. Tuples with equal times are all of one source, so the order of all tuples is
  * that of a side with a single one. One thread, the task's.
  */
final class DealtSources private (sources: IndexedSeq[JoinSource]) {
  private[this] var turn = 0
  private[this] var time = Long.MinValue

  /** The source of the next tuple, which has this time. */
  def next(time: Long): Int = {
    if (time != this.time) {
      turn = if (turn + 1 == sources.size) 0 else turn + 1
      this.time = time
    }
    sources(turn).id
  }

  /** Gives a tuple to its source, in the order of [[next]]. False if that is full; the others of the side know then that
    * they get nothing at the tuple's time, and do not hold it back.
    */
  def tryAdd(tuple: StreamTuple): Boolean = {
    val taken = sources(tuple.source - sources.head.id).tryAdd(tuple)
    if (!taken)
      for (source <- sources if source.id != tuple.source)
        source.advance(SaturatingMath.add(tuple.ts, 1))
    taken
  }

  /** No source gets anything before this time. */
  def advance(time: Long): Unit = sources.foreach(_.advance(time))

  def close(): Unit = sources.foreach(_.close())
}

object DealtSources {

  /** The sides of a join's sources, where each side has so many. */
  def sides(inputs: Int): IndexedSeq[Side] =
    Vector.fill(inputs)(Side.R) ++ Vector.fill(inputs)(Side.S)

  /** Those of one side of a join that was opened with [[sides]]. */
  def apply(join: RunningTypedJoin, side: Side): DealtSources =
    new DealtSources(join.sources.filter(_.side eq side))
}

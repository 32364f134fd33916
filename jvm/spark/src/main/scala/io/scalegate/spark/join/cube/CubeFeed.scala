package io.scalegate.spark.join.cube

import io.scalegate.matrix.cube.RunningCubeJoin
import io.scalegate.stream.{SaturatingMath, StreamTuple}

/** Delivers tuples to a running join of three in the order of their times, those of one time in that of their sources. One
  * thread, which never waits for the join to take one.
  */
final private[join] class CubeFeed(join: RunningCubeJoin) {

  /** False if the join has no room for it; then the other sources are told what no tuple of theirs is any more. */
  def tryAdd(next: StreamTuple): Boolean = {
    val added = join.sources(next.source).tryAdd(next)
    if (!added)
      for (other <- join.sources.indices if other != next.source)
        join.sources(other).advance(
          if (other > next.source) next.ts else SaturatingMath.add(next.ts, 1)
        )
    added
  }

  /** No tuple below this time is still to come. */
  def advance(time: Long): Unit = join.sources.foreach(_.advance(time))

  /** No tuple is still to come. */
  def close(): Unit = join.sources.foreach(_.close())
}

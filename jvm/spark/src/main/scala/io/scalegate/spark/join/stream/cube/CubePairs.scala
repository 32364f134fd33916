package io.scalegate.spark.join.stream.cube

import io.scalegate.matrix.cube.CubeResult
import io.scalegate.spark.join.cube.TripleRow
import io.scalegate.spark.join.stream.task.{BatchSide, StoredPairs, StreamJoinEnd}
import io.scalegate.stream.Sides

/** The triples that one batch adds to a join of three streams, each as one left row, in the order of the times of their
  * latest rows. One thread, the task's.
  *
  * @param live
  *   which has begun with the rows of the batch; None where there are none
  */
final private[cube] class CubePairs(
    live: Option[LiveCube],
    triples: HeldTriples,
    sides: Sides[BatchSide],
    end: StreamJoinEnd
) extends StoredPairs(sides, end) {
  private[this] val triple = new TripleRow
  // Two rows that follow each other must not lie in the same place.
  private[this] var (project, other) = (triples.project, triples.project)
  rightAddress.setNulls()

  def comparisons: Long = live.fold(0L)(_.comparisons)

  def advance(): Boolean = {
    val result = live.fold[CubeResult](null)(_.next())
    if (result != null) {
      leftAddress.set(project(triple(result.r, result.s, result.t)))
      val last = project
      project = other
      other = last
    }
    result != null
  }

  /** The end of the task closes the cube. */
  def close(): Unit = ()
}

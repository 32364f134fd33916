package io.scalegate.spark.join.stream.task

import io.scalegate.spark.join.RowAddress
import io.scalegate.spark.join.stream.state.JoinState
import io.scalegate.stream.Sides

/** The rows that one batch adds to a join whose rows are held in runs. One thread, the task's. */
abstract private[stream] class StoredPairs(sides: Sides[BatchSide], end: StreamJoinEnd)
    extends BatchPairs(
      new RowAddress(sides.left.input.output.length),
      new RowAddress(sides.right.input.output.length)
    ) {
  final def added: Long = sides.left.rows.size.toLong + sides.right.rows.size

  final def dropped: Long = end.dropped

  final def finish(): JoinState = {
    require(!hasNext, "a batch is finished when all of its rows were taken")
    end.stateOf(sides)
  }
}

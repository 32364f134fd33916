package io.scalegate.spark.join.operator

import io.scalegate.join.JoinMetrics
import io.scalegate.stream.Sides

/** What an operator has done in a task, as the task tells the driver when it ends.
  *
  * @param nanos
  *   from when it was opened to when the task ended, its inputs' work among it
  * @param rows
  *   of each side, those without a time not among them
  * @param byThread
  *   of the operator's own
  * @param details
  *   as `RunningJoin.details`
  */
final case class TaskWork(
    partition: Int,
    nanos: Long,
    rows: Sides[Long],
    byThread: JoinMetrics,
    details: Seq[(String, Double)]
)

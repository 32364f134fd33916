package io.scalegate.join

import io.scalegate.column.ColumnarWindow
import io.scalegate.stream.IdleStrategy

/** What a running join may hold, and how its own threads wait.
  *
  * @param inputCapacity
  *   tuples of one source that may wait for the slowest thread
  * @param outputCapacity
  *   results of one thread that may wait for the consumer
  * @param maxWindowRows
  *   rows that one thread may keep of one stream; beyond, the join ends with a
  *   `WindowLimitException`
  * @param idle
  *   makes the waiting strategy of each of the join's own threads
  */
final case class JoinOptions(
    inputCapacity: Int = 4096,
    outputCapacity: Int = 4096,
    maxWindowRows: Int = ColumnarWindow.MostRows,
    idle: () => IdleStrategy = () => new IdleStrategy.Backoff()
)

package io.scalegate.multiway

import io.scalegate.stream.IdleStrategy

/** What a running aggregate may hold, and how its own threads wait.
  *
  * @param inputCapacity
  *   tuples of one input that may wait to be processed
  * @param winsetCapacity
  *   winsets that may wait to be taken, or for an input that is behind, before others are told to
  *   wait; in the designs on a W-Hive
  * @param idle
  *   makes the waiting strategy of each of the aggregate's own threads
  * @param shortcuts
  *   whether a W-Hive's list of winsets is a skip list, as in the paper, by which a thread that was silent finds
  *   its winset in few steps
  */
final case class AggregateOptions(
    inputCapacity: Int = 4096,
    winsetCapacity: Int = 1024,
    idle: () => IdleStrategy = () => new IdleStrategy.Backoff(),
    shortcuts: Boolean = false
)

package io.scalegate.multiway.design

import io.scalegate.multiway.{InputQueue, LockedQueue}

/** Multi-Queue (multiway aggregation, §5.3): the queues are under locks. */
object MQ extends QueuedDesign {
  def name: String = "MQ"

  protected def queue(input: Int, capacity: Int): InputQueue = new LockedQueue(input, capacity)
}

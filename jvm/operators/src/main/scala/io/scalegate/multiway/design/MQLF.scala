package io.scalegate.multiway.design

import io.scalegate.multiway.{InputQueue, LockFreeQueue}

/** MQ with lock-free queues (multiway aggregation, §7). */
object MQLF extends QueuedDesign {
  def name: String = "MQLF"

  protected def queue(input: Int, capacity: Int): InputQueue = new LockFreeQueue(input, capacity)
}

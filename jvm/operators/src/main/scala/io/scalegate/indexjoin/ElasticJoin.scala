package io.scalegate.indexjoin

import io.scalegate.join.RunningJoin

/** A running join whose threads may join and leave. */
trait ElasticJoin extends RunningJoin {

  /** The threads that take tasks. */
  def threads: Int

  /** Sets their number. Those that leave finish the task they hold; it does not wait for them. When
    * a thread cannot be started the join goes on with those that were. Any thread.
    */
  def resize(threads: Int): Unit
}

package io.scalegate.join

/** A running join whose threads may join and leave: the results, and their order, stay. */
trait ElasticJoin extends RunningJoin {

  /** The threads that share what is to come. */
  def threads: Int

  /** Sets their number. It waits neither for those that join nor for those that leave, and changes
    * nothing once every source has closed. When a thread cannot be started the join goes on with
    * those that were. Any thread.
    */
  def resize(threads: Int): Unit
}

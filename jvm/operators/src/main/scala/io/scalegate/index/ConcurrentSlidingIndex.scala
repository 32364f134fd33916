package io.scalegate.index

/** An index that any number of threads use at once.
  *
  * Threads may insert positions in any order. A search reports every tuple in the window whose
  * insertion had returned when the search began; a tuple that is being inserted meanwhile it
  * reports or not; and none twice. So insertions of a tuple and searches for it alone are
  * linearizable. Searches for more that race with several insertions may see them in different
  * orders, unless the implementation says otherwise.
  *
  * A thread expires only what no other thread still searches for. `size` and `memoryBytes` are
  * exact when no other thread is at work; `clear` needs that.
  */
trait ConcurrentSlidingIndex extends SlidingIndex {

  /** Adds a tuple and leaves maintenance to [[tryMerge]], which whoever calls this calls when
    * [[isMergeDue]] says so.
    */
  def add(key: Long, value: Int, position: Long): Unit

  /** Adds a tuple with the value 0. */
  final def add(key: Long, position: Long): Unit = add(key, 0, position)

  /** Whether it is time for [[tryMerge]]. */
  def isMergeDue: Boolean

  /** Merges, unless another thread is at it (then false). Other threads go on meanwhile. */
  def tryMerge(): Boolean
}

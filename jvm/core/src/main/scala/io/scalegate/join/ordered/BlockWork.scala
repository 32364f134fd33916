package io.scalegate.join.ordered

/** What a thread does for one block after the other. One thread. */
trait BlockWork[A <: AnyRef] {

  /** @param give
    *   takes a result of the block; waits while too many are not taken yet, and throws when nobody wants them any more
    */
  def run(block: Int, give: A => Unit): Unit
}

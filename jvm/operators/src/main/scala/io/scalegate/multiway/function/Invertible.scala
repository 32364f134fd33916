package io.scalegate.multiway.function

/** A function whose `merge` can be undone, exactly. Not one that rounds: what was added to a large
  * number and rounded away does not come back.
  */
trait Invertible[S <: AnyRef] {

  /** Undoes `merge(b, rest)`: of the state of the tuples of `b`, then others, the state of those
    * others. Where order does not matter, `b` may be of any of the state's tuples, wherever among
    * the others they were added. May change `state`, and leaves `b` as it is.
    */
  def subtract(state: S, b: S): S
}

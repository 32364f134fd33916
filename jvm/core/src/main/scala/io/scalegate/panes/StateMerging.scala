package io.scalegate.panes

/** How the states of neighbouring panes become one. */
private[scalegate] trait StateMerging[S <: AnyRef] {

  /** A state with the content of `state`, which [[mergeInto]] may change. */
  def changeable(state: S): S

  /** The state of both. The older may be changed, and the state of both may lie in its place; the newer stays as it is. */
  def mergeInto(older: S, newer: S): S

  /** The bytes that a state takes. */
  def bytesOf(state: S): Int
}

package io.scalegate.multiway

import io.scalegate.multiway.function.{AggregateFunction, Invertible}
import io.scalegate.panes.{PaneStates, StateMerging, TwoStacks}

/** How the panes of a function's windows are merged: one for all keys. No state: any thread. */
final private[multiway] class PaneMerging[S <: AnyRef, R](function: AggregateFunction[_, S, R])
    extends StateMerging[S] {

  /** The panes of a key: by the inverse where the function has one. */
  def newPanes(): PaneStates[S] = function match {
    case inverse: Invertible[S @unchecked] => new SubtractOnEvict(function, inverse)
    case _ => new TwoStacks(this)
  }

  /** The result of all panes, which are left as they are. Of some panes. */
  def result(panes: PaneStates[S]): R = {
    val newer = panes.newer
    if (newer eq null) function.result(panes.older)
    else function.result(mergeInto(changeable(panes.older), newer))
  }

  override def changeable(state: S): S = function.merge(function.create(), state)

  override def mergeInto(older: S, newer: S): S = function.merge(older, newer)

  /** Nobody asks for them here. */
  override def bytesOf(state: S): Int = 0
}

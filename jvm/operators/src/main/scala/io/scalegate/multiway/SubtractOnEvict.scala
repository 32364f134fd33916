package io.scalegate.multiway

import io.scalegate.multiway.function.{AggregateFunction, Invertible}
import io.scalegate.panes.PaneStates

/** The merge of all panes, from which the oldest is subtracted when it is evicted: one merge and one inverse for each
  * pane.
  */
final private class SubtractOnEvict[S <: AnyRef](
    function: AggregateFunction[_, S, _],
    inverse: Invertible[S]
) extends PaneStates[S] {
  private[this] var all = function.create()

  def older: S = all

  def newer: S = null.asInstanceOf[S]

  def push(start: Long, state: S): Unit = {
    add(start, state)
    all = function.merge(all, state)
  }

  def evictBefore(start: Long): Unit =
    while (!isEmpty && oldest < start) all = inverse.subtract(all, removeOldest())

  override def clear(): Unit = {
    super.clear()
    all = function.create()
  }
}

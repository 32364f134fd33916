package io.scalegate.panes

/** How rows become the states that an aggregate merges. */
private[scalegate] trait RowStates[R, S <: AnyRef] extends StateMerging[S] {
  def timeOf(row: R): Long

  /** The state of this row alone, which is the caller's. */
  def stateOf(row: R): S

  /** The state of its rows and this one, behind them. The state may be changed, and the new one lie in its place. */
  def addTo(state: S, row: R): S
}

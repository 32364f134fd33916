package io.scalegate.multiway.sequence

import io.scalegate.multiway.function.AggregateFunction
import io.scalegate.stream.SaturatingMath

/** The sessions of one key: a tuple belongs to the session of the one before if it comes less
  * than `gap` after it, else it begins another. Sequential: tuples come in their order, so no two
  * sessions ever grow together.
  */
final class SessionWindows[T, S <: AnyRef, R](gap: Long, function: AggregateFunction[T, S, R]) {
  require(gap > 0, s"a session's gap must be positive, not $gap")

  private[this] var state: S = _ // null: no session is open
  private[this] var start = 0L
  private[this] var end = 0L

  /** Adds a tuple. The session that it ends by coming too late for it, if it does. */
  def add(ts: Long, tuple: T): Option[Session[R]] = {
    val ended = endBefore(ts)
    if (state == null) {
      state = function.create()
      start = ts
    }
    end = ts
    state = function.add(state, tuple)
    ended
  }

  /** The open session, if none that comes at `horizon` or later can belong to it. */
  def endBefore(horizon: Long): Option[Session[R]] =
    if (state != null && SaturatingMath.subtract(horizon, end) >= gap) endAny() else None

  /** The open session, when no tuple comes any more. */
  def endAny(): Option[Session[R]] =
    if (state == null) None
    else {
      val ended = Session(start, end, function.result(state))
      state = null.asInstanceOf[S]
      Some(ended)
    }
}

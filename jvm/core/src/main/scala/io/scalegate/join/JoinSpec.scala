package io.scalegate.join

import io.scalegate.band.Band
import io.scalegate.stream.Window

/** What to join, in the form that every strategy takes.
  *
  * @param window
  *   which pairs are candidates
  * @param bands
  *   the i-th band compares the i-th attribute of both streams; all must hold. An equi key is a band of
  *   width zero. Order them most selective first: kernels filter on the first with vectors.
  * @param residual
  *   makes the predicate for one thread; None when window and bands decide alone
  * @param joinType
  *   which results come out; one that is not inner is opened by [[TypedJoin]]
  * @param from
  *   a pair whose later tuple lies below this time is no result: tuples before it are kept for later
  *   ones, and compared with none. So a join goes on with what another one held. Inner joins only
  */
final case class JoinSpec(
    window: Window,
    bands: IndexedSeq[Band] = Vector.empty,
    residual: Option[() => PairPredicate] = None,
    joinType: JoinType = JoinType.Inner,
    from: Long = Long.MinValue
)

package io.scalegate.join

import io.scalegate.stream.{StreamTuple, Window}

/** Decides a candidate pair that the window, the keys and the bands let through.
  *
  * One instance serves one thread, so an implementation may keep buffers. It may throw; the exception
  * ends the operator and reaches its caller unchanged.
  */
trait PairPredicate {
  def matches(r: StreamTuple, s: StreamTuple): Boolean
}

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
  */
final case class JoinSpec(
    window: Window,
    bands: IndexedSeq[Band] = Vector.empty,
    residual: Option[() => PairPredicate] = None,
    joinType: JoinType = JoinType.Inner
)

/** A pair that matched. Its time is the later tuple's. */
final class JoinResult(val later: StreamTuple, val earlier: StreamTuple) {
  def ts: Long = later.ts
  def r: StreamTuple = if (later.side eq io.scalegate.stream.Side.R) later else earlier
  def s: StreamTuple = if (later.side eq io.scalegate.stream.Side.R) earlier else later
  override def toString: String = s"($later, $earlier)"
}

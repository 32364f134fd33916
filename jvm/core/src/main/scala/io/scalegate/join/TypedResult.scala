package io.scalegate.join

import io.scalegate.stream.StreamTuple

/** A result of a [[TypedJoin]].
  *
  * @param ts
  *   of a pair, or a tuple that is given because it matches, the later tuple's time; of a tuple that matches
  *   nothing, the last time at which it could have matched
  * @param r
  *   null where there is no tuple of R, as is `s` of S
  */
final class TypedResult(val ts: Long, val r: StreamTuple, val s: StreamTuple) {
  override def toString: String = s"($ts: $r, $s)"
}

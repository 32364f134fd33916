package io.scalegate.join.ordered

import io.scalegate.join.JoinResult
import io.scalegate.stream.{EventOrder, StreamTuple}

/** The total order of a join's results: by the later tuple, then by the earlier. Neither depends
  * on who found the pair.
  *
  * A result without an earlier tuple is a punctuation: it sorts after every result of its later
  * tuple.
  */
object ResultOrder extends EventOrder[JoinResult] {

  /** The promise that no result of `later`, or of a tuple before it, is to come. */
  def punctuation(later: StreamTuple): JoinResult = new JoinResult(later, null)

  def ts(t: JoinResult): Long = t.later.ts

  def compareTies(a: JoinResult, b: JoinResult): Int = {
    val c = EventOrder.Tuples.compareTies(a.later, b.later)
    if (c != 0) c
    else if (a.earlier == null || b.earlier == null)
      java.lang.Boolean.compare(a.earlier == null, b.earlier == null)
    else EventOrder.Tuples.compare(a.earlier, b.earlier)
  }

  def key(t: JoinResult): JoinResult = {
    val earlier = if (t.earlier == null) null else StreamTuple.key(t.earlier)
    new JoinResult(StreamTuple.key(t.later), earlier)
  }
}

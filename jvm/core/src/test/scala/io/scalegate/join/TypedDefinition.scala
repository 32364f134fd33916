package io.scalegate.join

import io.scalegate.stream.{CountWindow, EventOrder, Side, StreamTuple, TimeWindow, Window}

/** What a [[TypedJoin]] has to give, by the definition of the join types. */
object TypedDefinition {

  /** A result's time, and the source and number of each tuple that it has. */
  type Row = (Long, Option[(Int, Long)], Option[(Int, Long)])

  private val order: Ordering[StreamTuple] = EventOrder.Tuples.compare(_, _)

  def place(t: StreamTuple): Option[(Int, Long)] = Option(t).map(x => (x.source, x.seq))

  def row(result: TypedResult): Row = (result.ts, place(result.r), place(result.s))

  /** The last time at which a tuple can match, by the definition of the window. */
  private def deadline(window: Window, t: StreamTuple, own: Vector[StreamTuple]): Long =
    window match {
      case TimeWindow(lower, upper) =>
        val reach = if (t.side eq Side.R) BigInt(upper) else -BigInt(lower)
        (BigInt(t.ts) + reach.max(0)).min(Long.MaxValue).toLong
      case w: CountWindow =>
        val (at, rows) = (own.indexOf(t), w.rows(t.side))
        if (own.length - at > rows) own(at + rows.toInt).ts else Long.MaxValue
    }

  /** The results in their order. */
  def results(input: JoinCase, joinType: JoinType): Vector[Row] = {
    val at = input.tuples.map(t => (t.source, t.seq) -> t).toMap
    val pairs = Definition.results(input).map { case (source, seq, source2, seq2) =>
      val (later, earlier) = (at((source, seq)), at((source2, seq2)))
      if (later.side eq Side.R) (later.ts, later, earlier) else (later.ts, earlier, later)
    }
    val matched = pairs.flatMap { case (_, r, s) => Seq(r, s) }.toSet
    def unmatchedOf(side: Side) = {
      val own = input.tuples.filter(_.side eq side).sorted(order)
      own.filterNot(matched).map(t => deadline(input.spec.window, t, own) -> t)
    }
    val unmatched = ((if (joinType.unmatchedR) unmatchedOf(Side.R) else Vector.empty) ++
      (if (joinType.unmatchedS) unmatchedOf(Side.S) else Vector.empty))
      .sortBy(_._2)(order)
      .map { case (ts, t) =>
        val ofR = t.side eq Side.R
        (ts, 1, (ts, if (ofR) place(t) else None, if (ofR) None else place(t)))
      }
    val chosen =
      if (joinType.pairs) pairs.map { case (ts, r, s) => (ts, 0, (ts, place(r), place(s))) }
      else if (joinType.onceR)
        pairs.distinctBy(_._2).map { case (ts, r, _) => (ts, 0, (ts, place(r), None)) }
      else Vector.empty
    (chosen ++ unmatched).sortBy(x => (x._1, x._2)).map(_._3)
  }
}

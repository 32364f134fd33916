package io.scalegate.spark.join.cube

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BasePredicate, JoinedRow}

import io.scalegate.matrix.cube.TriplePredicate
import io.scalegate.stream.StreamTuple

/** The rows of a triple as one, side by side. One thread; each is valid until the next is made. */
final private[join] class TripleRow {
  private[this] val (two, three) = (new JoinedRow, new JoinedRow)

  def apply(r: StreamTuple, s: StreamTuple, t: StreamTuple): InternalRow =
    three(two(rowOf(r), rowOf(s)), rowOf(t))

  private[this] def rowOf(t: StreamTuple) = t.row.asInstanceOf[InternalRow]
}

private[join] object TripleRow {

  /** For one thread. */
  def test(condition: BasePredicate): TriplePredicate = {
    val triple = new TripleRow
    (r, s, t) => condition.eval(triple(r, s, t))
  }
}

package io.scalegate.spark.join.stream

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}

import io.scalegate.band.Band
import io.scalegate.spark.join.stream.state.StreamWindow
import io.scalegate.stream.Sides

/** Which rows of two streams are a pair, as it is planned.
  *
  * @param bounded
  *   the bounded attributes of each side
  * @param times
  *   the event time of each side
  * @param bands
  *   `bounded.right(i) − bounded.left(i)` lies in the i-th
  * @param residual
  *   evaluated on every candidate
  * @param python
  *   what functions in Python say of the pairs, by calls that the tasks make
  */
final case class StreamCondition(
    bounded: Sides[Seq[Expression]],
    times: Sides[Attribute],
    bands: IndexedSeq[Band],
    window: StreamWindow,
    residual: Option[Expression],
    python: Option[Expression]
) {

  /** All that is evaluated for a row or a pair. */
  def expressions: Seq[Expression] = bounded.left ++ bounded.right ++ residual ++ python

  /** The same with the next of these in the places of its own. */
  def changed(rest: Iterator[Expression]): StreamCondition = {
    def next(replaced: Iterable[Expression]) = replaced.toSeq.map(_ => rest.next())
    copy(
      bounded = bounded.map(next(_)),
      residual = next(residual).headOption,
      python = next(python).headOption
    )
  }
}

package io.scalegate.spark.join.stream.perkey

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}

import io.scalegate.lookup.NearestIndex
import io.scalegate.spark.join.aggregate.SlidingInterval
import io.scalegate.spark.join.stream.state.StreamWindow
import io.scalegate.spark.join.stream.task.{StreamMethod, StreamTask, StreamTerms}
import io.scalegate.stream.{SaturatingMath, Side, Sides}

/** A join of two streams that holds the rows of each key apart, as it is planned. */
sealed trait PerKey extends StreamMethod {

  /** In a form whose bytes are the same where keys are equal; none if all rows have one key. */
  def keys: Sides[Seq[Expression]]
}

/** Each row with the last rows of the other side that have its key. */
final case class LastRowsPerKey(keys: Sides[Seq[Expression]], rows: Sides[Long])
    extends PerKey {
  override def expressions: Seq[Expression] = keys.left ++ keys.right

  /** The earlier row of a pair may have any time. */
  override def leastOutput(window: StreamWindow, watermark: Long): Long = Long.MinValue

  override def withExpressions(changed: Iterator[Expression]): LastRowsPerKey =
    copy(keys = keys.map(_.map(_ => changed.next())))

  def task(terms: StreamTerms): StreamTask =
    new RowsPerKeyStream(terms, keys, rows)
}

/** Each left row with the right rows of its key that are nearest to it in time.
  *
  * @param rightTies
  *   over the right columns
  */
final case class NearestPerKey(
    keys: Sides[Seq[Expression]],
    by: NearestIndex.By,
    rightTies: Seq[Expression],
    reach: AnswerReach
) extends PerKey {
  override def ties(side: Side): Seq[Expression] = if (side eq Side.R) Nil else rightTies

  override def expressions: Seq[Expression] = keys.left ++ keys.right ++ rightTies

  override def leastOutput(window: StreamWindow, watermark: Long): Long =
    reach.leastOutput(watermark)

  override def withExpressions(changed: Iterator[Expression]): NearestPerKey = {
    val changedKeys = keys.map(_.map(_ => changed.next()))
    copy(keys = changedKeys, rightTies = rightTies.map(_ => changed.next()))
  }

  def task(terms: StreamTerms): StreamTask =
    new NearestStream(terms, this)
}

/** Each left row with aggregates of the right rows of its key in one interval or several around its time.
  *
  * @param intervals
  *   in microseconds
  */
final case class AggregatesPerKey(
    keys: Sides[Seq[Expression]],
    intervals: Seq[SlidingInterval]
) extends PerKey {

  /** Of all intervals. */
  def reach: AnswerReach = {
    val bands = intervals.map(_.band)
    AnswerReach(
      Some(math.max(0L, SaturatingMath.subtract(0L, bands.map(_.lower).min))),
      math.max(0L, bands.map(_.upper).max),
      Int.MaxValue,
      if (intervals.exists(_.keepsLast)) 1 else 0
    )
  }

  override def expressions: Seq[Expression] = keys.left ++ keys.right ++ intervals

  /** Left rows are given with their own times. */
  override def leastOutput(window: StreamWindow, watermark: Long): Long = reach.decided(watermark)

  override def withExpressions(changed: Iterator[Expression]): AggregatesPerKey = {
    val changedKeys = keys.map(_.map(_ => changed.next()))
    copy(changedKeys, intervals.map(_ => changed.next().asInstanceOf[SlidingInterval]))
  }

  override def found: Option[Seq[Attribute]] = Some(intervals.flatMap(_.aggregates.output))

  def task(terms: StreamTerms): StreamTask = {
    require(
      terms.residual.isEmpty && terms.python.isEmpty,
      "no pair is made that could be tested"
    )
    new AggregateStream(terms, this)
  }
}

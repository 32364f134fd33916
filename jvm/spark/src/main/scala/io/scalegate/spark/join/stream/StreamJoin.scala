package io.scalegate.spark.join.stream

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.scalegate.PythonSteps

import io.scalegate.spark.checkpoint.{CheckpointTerms, JoinTerms}
import io.scalegate.spark.join.Probing
import io.scalegate.spark.join.stream.realtime.RealTimeTerms
import io.scalegate.spark.join.stream.task.{
  Copies,
  StreamBatch,
  StreamInput,
  StreamJoinTask,
  StreamMethod,
  StreamTask,
  StreamTerms
}
import io.scalegate.spark.plan.PythonCall
import io.scalegate.stream.{Side, Sides}

/** A join of two streams over a window, as it is planned. The driver makes one for each batch; tasks get its [[task]].
  *
  * @param method
  *   in which a task finds its rows, if that is not an index over both windows
  * @param inTurn
  *   whether rows wait for the watermark, and the joined rows come in the order of their times
  * @param threads
  *   that look for pairs in one task
  * @param terms
  *   what its checkpoint says of it; driver only
  * @param description
  *   what EXPLAIN says, its parts separated by "; "
  * @param realTime
  *   if rows are joined as they come
  */
final case class StreamJoin(
    probing: Probing,
    condition: StreamCondition,
    exchange: StreamExchange,
    method: Option[StreamMethod],
    inTurn: Boolean,
    threads: Int,
    terms: JoinTerms,
    description: String,
    realTime: Option[RealTimeTerms] = None
) {
  import condition.{bounded, times, window}
  import exchange.cells

  /** All that is evaluated for a row or a pair: Catalyst's rules change it where they find it, and that is in a plan's
    * node, which gives it back by [[withExpressions]].
    */
  def expressions: Seq[Expression] = condition.expressions ++
    cells.toSeq.flatMap(c => c.left ++ c.right) ++ method.toSeq.flatMap(_.expressions)

  def withExpressions(changed: Seq[Expression]): StreamJoin = {
    val rest = changed.iterator
    def next(replaced: Seq[Expression]) = replaced.map(_ => rest.next())
    copy(
      condition = condition.changed(rest),
      exchange = exchange.copy(
        cells = cells.map(c => c.copy(left = next(c.left), right = next(c.right)))
      ),
      method = method.map(_.withExpressions(rest))
    )
  }

  def task(left: Seq[Attribute], right: Seq[Attribute]): StreamTask = {
    val columns = Sides(left, right)
    val inputs = Sides.each(side => input(side, columns(side)))
    val functions = condition.python.map(e => PythonSteps(PythonCall.shown(e), left ++ right))
    val terms =
      StreamTerms(probing, inputs, condition.bands, window, condition.residual, functions)
    method.fold[StreamTask](new StreamJoinTask(terms, inTurn, threads))(_.task(terms))
  }

  private[this] def input(side: Side, columns: Seq[Attribute]) = StreamInput(
    bounded(side),
    columns,
    columns.indexWhere(_.exprId == times(side).exprId),
    probing.decides(side),
    if (side eq probing.side) probing.unmatched else probing.unfound,
    method.toSeq.flatMap(_.ties(side)),
    cells.filter(_.by.isCopied(side)).map(c =>
      Copies(c.attributes(side), c.by, columns.length - 1)
    )
  )

  /** The columns of its rows, over those of its inputs that are joined. */
  def output(columns: Sides[Seq[Attribute]]): Seq[Attribute] =
    method.flatMap(_.found).fold(probing.columns(columns))(columns.left ++ _)

  /** The columns of an input that are joined. */
  def joined(columns: Seq[Attribute]): Seq[Attribute] =
    columns.dropRight(
      if (realTime.nonEmpty) RealTimeTerms.Columns else if (exchange.splitting.nonEmpty) 1 else 0
    )

  /** The side whose rows may not be copied, if there is one. */
  def single: Option[Side] = if (probing.isInner) None else Some(probing.side)

  /** Whether rows come when the watermark moves, and no data with it. */
  def givesAtWatermark: Boolean = inTurn || probing.unmatched || probing.unfound

  /** The columns that the user knows of an input, of those that are joined. */
  def visible(columns: Seq[Attribute]): Seq[Attribute] =
    if (cells.isEmpty) columns else columns.init

  /** The least event time, in milliseconds, that a joined row may still come with when no input row comes with one that
    * is not above the watermark.
    */
  def outputWatermark(watermark: Long): Long = {
    val at = StreamJoin.micros(watermark)
    val least = method.fold(window.leastOutput(at))(_.leastOutput(window, at))
    math.max(0L, math.min(watermark, Math.floorDiv(least, 1000L)))
  }

  /** What a checkpoint must have been made by for this join to go on with it. */
  def checkpointed(left: Seq[Attribute], right: Seq[Attribute]): CheckpointTerms =
    terms.checkpointTerms(StreamJoin.Format, probing.name, left, right)
}

object StreamJoin {

  /** Of the state: it changes when an older version's checkpoints cannot be read any more. */
  private val Format = 1

  def batch(
      number: Long,
      late: Option[Long],
      watermark: Option[Long]
  ): StreamBatch = StreamBatch(
    number,
    late.fold(Long.MinValue)(micros),
    watermark.fold(Long.MinValue)(micros)
  )

  /** A watermark in microseconds, one too great as the greatest. */
  def micros(millis: Long): Long =
    if (millis > Long.MaxValue / 1000) Long.MaxValue else millis * 1000
}

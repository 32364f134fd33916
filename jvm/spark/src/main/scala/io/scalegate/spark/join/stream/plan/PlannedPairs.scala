package io.scalegate.spark.join.stream.plan

import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  Attribute,
  Expression,
  If,
  IsNull,
  Literal,
  NamedExpression,
  Or
}
import org.apache.spark.sql.catalyst.plans.logical.{EventTimeWatermark, LogicalPlan, Project}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.scalegate.SparkStreams
import org.apache.spark.sql.scalegate.stream.{PlannedExec, StreamingWindowJoinExec}
import org.apache.spark.sql.types.{Metadata, MetadataBuilder, TimestampNTZType, TimestampType}

import io.scalegate.spark.checkpoint.JoinTerms
import io.scalegate.spark.join.stream.perkey.PerKey
import io.scalegate.spark.join.stream.realtime.{ProgressExec, RealTimeTerms}
import io.scalegate.spark.join.stream.state.StreamWindow
import io.scalegate.spark.join.stream.{StreamCondition, StreamExchange, StreamJoin}
import io.scalegate.spark.join.{Probing, WindowJoinOutputExec}
import io.scalegate.spark.plan.PythonCall
import io.scalegate.spark.settings.ScaleGateConf
import io.scalegate.stream.Sides

/** The operator of a join of two streams, which gives pairs.
  *
  * @param leftColumns
  *   of a pair's left row
  */
final private[plan] case class PlannedPairs(exec: PlannedExec, leftColumns: Int) {
  def rows(columns: Seq[NamedExpression]): SparkPlan =
    WindowJoinOutputExec(columns, leftColumns, exec)
}

private[plan] object PlannedPairs {

  /** @param isRealTime
    *   whether rows are joined as they come
    * @param keys
    *   by which the inputs are exchanged
    */
  def of(
      isRealTime: Boolean,
      join: StreamJoin,
      keys: Sides[Seq[Expression]],
      inputs: Sides[SparkPlan]
  ): PlannedPairs =
    if (isRealTime) realTime(join, keys, inputs) else from(join, keys, inputs)

  /** A join whose rows are held by their keys, and taken in the order of their times: by the tasks of all partitions, or
    * by one where there is no key.
    */
  def joinByKeys(
      probing: Probing,
      keys: Sides[Seq[Expression]],
      times: Sides[Attribute],
      window: StreamWindow,
      condition: Option[Expression],
      perKey: PerKey,
      terms: JoinTerms,
      description: String
  ): StreamJoin = {
    val (python, residual) = PythonCall.apart(condition)
    StreamJoin(
      probing,
      StreamCondition(
        keys.zip(times).map { case (k, time) => Seq(keyedTime(time, k)) },
        times,
        Vector(StreamWindow.AnyTime),
        window,
        residual,
        python
      ),
      StreamExchange(partitions = Option.when(keys.left.isEmpty)(1)),
      Some(perKey),
      inTurn = true,
      threads = 1,
      terms,
      description
    )
  }

  /** In batches. */
  def from(
      join: StreamJoin,
      keys: Sides[Seq[Expression]],
      inputs: Sides[SparkPlan]
  ): PlannedPairs = PlannedPairs(
    StreamingWindowJoinExec.planned(join, keys, inputs),
    join.joined(inputs.left.output).length
  )

  private[this] def realTime(
      join: StreamJoin,
      keys: Sides[Seq[Expression]],
      inputs: Sides[SparkPlan]
  ): PlannedPairs = {
    val conf = SQLConf.get
    val partitions = join.exchange.partitions.getOrElse(
      SparkStreams.statefulPartitions(conf).getOrElse(conf.numShufflePartitions)
    )
    val told = Sides.each { side =>
      ProgressExec(
        keys(side),
        partitions,
        join.condition.times(side),
        join.givesAtWatermark,
        inputs(side)
      )
    }
    val terms = RealTimeTerms(
      join.condition.times.map(RealTimeTerms.delayOf),
      ScaleGateConf.idleNanos(conf)
    )
    from(
      join.copy(realTime = Some(terms)),
      if (partitions == 1) Sides(Nil, Nil) else told.map(t => Seq(t.cell)),
      told
    )
  }

  /** The columns of an input that are event times of a watermark. */
  def eventTimes(input: LogicalPlan): Seq[Attribute] = input.output.filter(isEventTime)

  def isEventTime(column: Attribute): Boolean =
    hasDelay(column) && (column.dataType == TimestampType || column.dataType == TimestampNTZType)

  private[this] def hasDelay(column: Attribute) =
    column.metadata.contains(EventTimeWatermark.delayKey)

  /** The time, and NULL where one of the keys is: such a row matches nothing. */
  def keyedTime(time: Attribute, keys: Seq[Expression]): Expression =
    keys.filter(_.nullable).map(IsNull(_): Expression).reduceOption(Or.apply)
      .fold[Expression](time)(If(_, Literal(null, time.dataType), time))

  /** The metadata of a column, but not that it is an event time. */
  def timeless(column: Attribute): Metadata =
    new MetadataBuilder().withMetadata(column.metadata).remove(EventTimeWatermark.delayKey).build()

  /** The input with this event time alone: Spark takes several for an error, whichever the join goes by. */
  def oneEventTime(input: LogicalPlan, time: Attribute): LogicalPlan = {
    def isOther(a: Attribute) = a.exprId != time.exprId && hasDelay(a)
    if (!input.output.exists(isOther)) input
    else
      Project(
        input.output.map {
          case a if isOther(a) =>
            Alias(a, a.name)(a.exprId, explicitMetadata = Some(timeless(a)))
          case a => a
        },
        input
      )
  }
}

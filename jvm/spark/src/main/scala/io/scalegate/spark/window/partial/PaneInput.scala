package io.scalegate.spark.window.partial

import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute}
import org.apache.spark.sql.catalyst.plans.logical.{
  EventTimeWatermark,
  Filter,
  LogicalPlan,
  Project,
  Union
}
import org.apache.spark.sql.execution.{FilterExec, ProjectExec, SparkPlan}
import org.apache.spark.sql.types.{TimestampNTZType, TimestampType}

import io.scalegate.spark.window.SlidingAggregate

/** Rows that an aggregate takes, or of a union those of one of its parts: each part is aggregated where it is read, and
  * no row is copied to be handed on. Used when the aggregate is planned.
  *
  * @param rows
  *   as they leave the last node before the aggregate
  * @param above
  *   puts above the partial aggregate what is to be there
  */
final private[scalegate] case class PaneInput(
    rows: SparkPlan,
    above: SparkPlan => SparkPlan
) {

  /** Their partial aggregate. */
  def aggregated(partial: SparkPlan => SparkPlan): SparkPlan = above(partial(rows))

  def map(f: SparkPlan => SparkPlan): PaneInput = copy(rows = f(rows))
}

private[scalegate] object PaneInput {

  /** The rows of an aggregate.
    *
    * What lies below the windows is planned by itself: adaptive execution puts what it has run in the place of a node
    * of the query's plan, and would look for ever for one that is made here.
    *
    * @param planLater
    *   plans a node of the query
    */
  def from(found: SlidingAggregate, planLater: LogicalPlan => SparkPlan): Seq[PaneInput] = {
    val below = found.windows.child
    val inputs =
      if ((found.rows.fields ++ found.rows.condition).forall(_.deterministic))
        parts(below, planLater)
      else whole(below, planLater)
    inputs.map(_.map { rows =>
      val taken = found.rows.condition.fold(rows)(FilterExec(_, rows))
      ProjectExec(found.rows.fields, taken)
    })
  }

  private[this] def whole(plan: LogicalPlan, planLater: LogicalPlan => SparkPlan) =
    Seq(PaneInput(planLater(plan), identity))

  private[this] def parts(
      plan: LogicalPlan,
      planLater: LogicalPlan => SparkPlan
  ): Seq[PaneInput] = plan match {
    case Project(fields, child) if isParted(plan) =>
      parts(child, planLater).map(_.map(ProjectExec(fields, _)))
    case Filter(condition, child) if isParted(plan) =>
      parts(child, planLater).map(_.map(FilterExec(condition, _)))
    case watermark: EventTimeWatermark if isParted(plan) =>
      observed(watermark, parts(watermark.child, planLater))
    case union: Union =>
      union.children.flatMap { part =>
        val fields = part.output.zip(union.output).map { case (value, as) =>
          Alias(value, as.name)(as.exprId, as.qualifier, Some(as.metadata))
        }
        parts(part, planLater).map(_.map(ProjectExec(fields, _)))
      }
    case _ => whole(plan, planLater)
  }

  /** Whether it is made row by row of a union or of rows whose times a watermark is made of. */
  private[this] def isParted(plan: LogicalPlan): Boolean = plan match {
    case Project(fields, child) => fields.forall(_.deterministic) && isParted(child)
    case Filter(condition, child) => condition.deterministic && isParted(child)
    case watermark: EventTimeWatermark => hasMicros(watermark.eventTime)
    case _: Union => true
    case _ => false
  }

  private[this] def hasMicros(time: Attribute): Boolean =
    time.dataType == TimestampType || time.dataType == TimestampNTZType

  private[this] def observed(
      watermark: EventTimeWatermark,
      inputs: Seq[PaneInput]
  ): Seq[PaneInput] = {
    val times = new WatermarkTimes
    val delayMs = EventTimeWatermark.getDelayMs(watermark.delay)
    inputs.map { input =>
      PaneInput(
        ObserveTimesExec(watermark.eventTime, delayMs, times, input.rows),
        rows =>
          new ObservedWatermarkExec(
            watermark.nodeId,
            watermark.eventTime,
            watermark.delay,
            input.above(rows),
            times
          )
      )
    }
  }
}

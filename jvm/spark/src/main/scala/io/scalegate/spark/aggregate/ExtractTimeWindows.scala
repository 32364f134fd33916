package io.scalegate.spark.aggregate

import org.apache.spark.sql.catalyst.expressions.{
  Add,
  Attribute,
  CreateNamedStruct,
  Expression,
  Literal,
  PreciseTimestampConversion,
  Remainder,
  Subtract,
  TimeWindow
}
import org.apache.spark.sql.catalyst.plans.logical.{Expand, Filter, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.FILTER
import org.apache.spark.sql.types.LongType

import io.scalegate.spark.ScaleGateConf

/** Finds sliding windows, of enough overlap, in the form that Spark's analyzer gives them, before the optimizer changes it. What is read
  * off is checked: Spark's own rule must make the same plan of it.
  */
object ExtractTimeWindows extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!ScaleGateConf.enabled(conf) || !ScaleGateConf.aggregates(conf)) plan
    else
      plan.transformUpWithSubqueriesAndPruning(_.containsPattern(FILTER)) {
        case f @ Filter(_, e: Expand)
            if f.resolved && (!f.isStreaming || StreamingPanes.isEnabled(conf)) =>
          windows(f, e).getOrElse(f)
      }

  private[this] def windows(filter: Filter, expand: Expand): Option[TimeWindows] =
    for {
      window <- expand.output.headOption
      if window.metadata.contains(TimeWindow.marker) && expand.output.tail == expand.child.output
      of <- expand.projections.headOption.flatMap(_.headOption)
      found <- read(window, of, expand.child)
      if found.by.size / found.by.slide >= ScaleGateConf.minOverlap(conf)
      if found.time.deterministic && found.by.perRow == expand.projections.size &&
        isSame(found.expanded, filter)
    } yield found

  /** The expressions of dozens of windows, for each batch of a stream, are seldom worth their canonical forms. */
  private[this] def isSame(made: LogicalPlan, found: LogicalPlan): Boolean =
    made == found || made.sameResult(found)

  private[this] def read(
      window: Attribute,
      of: Expression,
      child: LogicalPlan
  ): Option[TimeWindows] =
    for {
      size <- of match {
        case CreateNamedStruct(Seq(_, _, _, end)) =>
          end.collectFirst { case Add(_, Literal(size: Long, LongType), _) => size }
        case _ => None
      }
      found <- of.collectFirst {
        case Remainder(
              Subtract(
                PreciseTimestampConversion(time, _, LongType),
                Literal(offset: Long, LongType),
                _
              ),
              Literal(slide: Long, LongType),
              _
            ) =>
          TimeWindows(window, time, SlidingWindow(size, slide, offset), kept = false, child)
      }
    } yield found
}

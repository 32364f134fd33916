package io.scalegate.spark.window.rules

import org.apache.spark.sql.catalyst.expressions.{And, Expression, IsNotNull, PredicateHelper}
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, Filter, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.scalegate.RealTimeMode

import io.scalegate.spark.settings.{Errors, ScaleGateConf, WindowEmission}
import io.scalegate.spark.window.stream.StreamingPanes
import io.scalegate.spark.window.{SlidingAggregate, TimeWindows}

/** Decides for each [[TimeWindows]] whether panes compute the aggregate above it, and gives Spark's own plan back
  * where not. It runs within the optimizer's main batch: late enough that names, views and common table expressions
  * no longer stand between the two, early enough that the batch goes on with what is given back.
  *
  * Below the windows that stay, it does what the batch does to Spark's: filters that need no window go below, and so
  * does the one on rows without a time.
  */
object PlacePanes extends Rule[LogicalPlan] with PredicateHelper {
  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!plan.exists(_.isInstanceOf[TimeWindows])) plan
    else
      plan.transformDown {
        case aggregate: Aggregate => keep(aggregate)
        case Filter(condition, windows: TimeWindows) if windows.kept => push(condition, windows)
        case windows: TimeWindows if !windows.kept =>
          windows.design.foreach(d => throw Errors.designCannot(d.toString, NotMerged))
          windows.emission.filter(_ => RealTimeMode.isIn(windows))
            .foreach(e => throw Errors.emitCannot(e))
          windows.expanded
      }

  private[this] val NotMerged =
    "its windows are not grouped by, or have functions whose partial results do not merge, such as those of DISTINCT values"

  private[this] def keep(aggregate: Aggregate): LogicalPlan = aggregate match {
    case SlidingAggregate(found)
        if !found.windows.kept && (!aggregate.isStreaming || isRunnable(found)) =>
      aggregate.transformDown {
        case windows: TimeWindows if windows eq found.windows =>
          windows.copy(kept = true, child = Filter(IsNotNull(windows.time), windows.child))
      }
    case other => other
  }

  /** In Real-Time Mode Spark has an aggregate of its own, which runs unless a hint or the setting says otherwise. */
  private[this] def isRunnable(found: SlidingAggregate) =
    StreamingPanes.isRunnable(found) && QueryOutputMode.isKnown(found.windows) &&
      (!RealTimeMode.isIn(found.windows) || emission(found.windows).nonEmpty)

  /** When windows are given in Real-Time Mode, once where a design makes them; None for Spark's own aggregate. */
  private[rules] def emission(windows: TimeWindows): Option[WindowEmission] =
    windows.emission
      .orElse(windows.design.map(_ => WindowEmission.Final))
      .orElse(ScaleGateConf.realTimeWindows(conf))

  private[this] def push(condition: Expression, windows: TimeWindows): LogicalPlan = {
    val (below, above) = splitConjunctivePredicates(condition).partition(c =>
      c.deterministic && !c.references.contains(windows.window)
    )
    val pushed = below.reduceOption(And.apply).fold(windows)(c =>
      windows.copy(child = Filter(c, windows.child))
    )
    above.reduceOption(And.apply).fold[LogicalPlan](pushed)(Filter(_, pushed))
  }
}

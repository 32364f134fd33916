package io.scalegate.spark.window.rules

import org.apache.spark.sql.catalyst.expressions.aggregate.Complete
import org.apache.spark.sql.catalyst.expressions.{Alias, PreciseTimestampConversion}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.{FilterExec, ProjectExec, SparkPlan, SparkStrategy}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.scalegate.{GroupingKeys, RealTimeMode}
import org.apache.spark.sql.types.LongType

import io.scalegate.spark.settings.{Errors, NamedDesign, ScaleGateConf}
import io.scalegate.spark.window.design.DesignWindowsExec
import io.scalegate.spark.window.hint.{WindowDesignHint, WindowEmitHint, WindowHint}
import io.scalegate.spark.window.partial.PartialPanesExec
import io.scalegate.spark.window.slide.PaneWindowsExec
import io.scalegate.spark.window.{SlidingAggregate, TimeWindows}

/** Plans aggregates over sliding windows on panes: a partial aggregate by keys and pane, and above it the one that
  * slides. Spark puts an exchange by the keys between the two. Those that a hint asks a design of the papers for
  * are planned as one node.
  */
object SlidingAggregateStrategy extends SparkStrategy {
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case SlidingAggregate(found) =>
      val asked = found.windows.design.orElse(
        ScaleGateConf.design(SQLConf.get).filter(_ => DesignedFunctions.areFixed(found))
      )
      Seq(asked.fold(planned(found))(designed(found, _)))
    case windows: TimeWindows => Seq(planLater(windows.expanded))
    case hint: WindowHint if !FoundTimeWindows.areWanted(SQLConf.get) =>
      Seq(planLater(hint.child))
    case WindowDesignHint(_, design) =>
      throw Errors.designCannot(
        design.toString,
        "no aggregate over sliding windows that overlap is grouped from the rows that it is said of"
      )
    case WindowEmitHint(child, emission) =>
      if (RealTimeMode.isIn(child)) throw Errors.emitCannot(emission)
      Seq(planLater(child))
    case _ => Nil
  }

  /** By a design that a hint, or the setting, asks for. */
  private[this] def designed(found: SlidingAggregate, design: NamedDesign): SparkPlan = {
    DesignedFunctions.check(found, design)
    val keys = found.keys.map(GroupingKeys.normalized)
    val time = found.windows.time
    val micros = Alias(PreciseTimestampConversion(time, time.dataType, LongType), "time")()
    val fields = found.rows.fields.filterNot(_.exprId == found.rows.pane.exprId)
    val below = planLater(found.windows.child)
    val taken = found.rows.condition.fold(below)(FilterExec(_, below))
    DesignWindowsExec(
      found.terms(keys),
      design,
      keys,
      micros.toAttribute,
      found.functions.map(_.copy(mode = Complete)),
      found.window,
      found.results,
      ProjectExec(fields :+ micros, taken)
    )
  }

  private[this] def planned(found: SlidingAggregate): SparkPlan = {
    val keys = found.keys.map(GroupingKeys.normalized)
    PaneWindowsExec(
      found.terms(keys),
      found.window,
      found.results,
      PartialPanesExec.packs(found),
      PartialPanesExec.plan(found, keys, planLater)
    )
  }
}

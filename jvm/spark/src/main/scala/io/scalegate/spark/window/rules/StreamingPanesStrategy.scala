package io.scalegate.spark.window.rules

import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, AttributeMap, Expression}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.{LocalTableScanExec, SparkPlan, SparkStrategy}
import org.apache.spark.sql.scalegate.GroupingKeys
import org.apache.spark.sql.scalegate.stream.{PlannedExec, StreamingPanesExec}

import io.scalegate.spark.checkpoint.TermText
import io.scalegate.spark.window.SlidingAggregate
import io.scalegate.spark.window.partial.PartialPanesExec
import io.scalegate.spark.window.stream.{StreamPanes, StreamingPaneAggregate}

/** Plans aggregates of streams over sliding windows: a partial aggregate by keys and pane, an exchange by the
  * keys, and the operator that holds the panes.
  */
object StreamingPanesStrategy extends SparkStrategy {
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case s: StreamingPaneAggregate =>
      s.aggregate match {
        case SlidingAggregate(found) => Seq(planned(found))
        case other =>
          throw new IllegalStateException(
            s"an aggregate that was Spark's was taken from it: $other"
          )
      }
    case _ => Nil
  }

  private[this] def planned(found: SlidingAggregate): PlannedExec = {
    val keys = found.keys.map(GroupingKeys.normalized)
    val panes = StreamPanes(
      found.terms(keys),
      found.window,
      found.rows.pane,
      found.results,
      PartialPanesExec.packs(found),
      functionTerms(found)
    )
    PlannedExec(
      panes.output,
      PartialPanesExec.plan(found, keys, planLater),
      LocalTableScanExec(Nil, Nil, None),
      StreamingPanesExec(panes, found.windows.mode, _)
    )
  }

  /** The functions, their arguments and filters over what the rows have that come to the windows. */
  private[this] def functionTerms(found: SlidingAggregate): Seq[String] = {
    val fields = AttributeMap(found.rows.fields.collect { case f: Alias =>
      f.toAttribute -> f.child
    })
    val text = new TermText(a => TermText.folded(a.name))
    def termOf(e: Expression) =
      text(e.transform { case a: Attribute => fields.getOrElse(a, a) })
    found.functions.map { f =>
      val result = TermText.typeName(f.aggregateFunction.dataType)
      s"${termOf(f.aggregateFunction)}${f.filter.fold("")(c => s" filter ${termOf(c)}")} $result"
    }
  }
}

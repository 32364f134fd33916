package io.scalegate.spark.join.aggregate

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet}
import org.apache.spark.sql.catalyst.plans.LeftOuter
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan, Project}
import org.apache.spark.sql.execution.{FilterExec, ProjectExec, SparkPlan, SparkStrategy}

import io.scalegate.spark.join.batch.SliceExec
import io.scalegate.spark.join.plan.JoinCells
import io.scalegate.spark.join.{JoinKeys, Probing}
import io.scalegate.spark.settings.Errors
import io.scalegate.stream.Sides

/** Plans [[IntervalAggregate]]s: both inputs are exchanged and sorted by the keys and the time, or, where there is no key
  * or a hot one, by slices of time first.
  */
object IntervalAggregateStrategy extends SparkStrategy {
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case Project(columns, Filter(condition, a: IntervalAggregate)) if !a.isOfStreams =>
      val read = AttributeSet(columns.flatMap(_.references)) ++ condition.references
      ProjectExec(
        columns,
        FilterExec(condition, planned(a, a.left.output.filter(read.contains)))
      ) ::
        Nil
    case Project(columns, a: IntervalAggregate) if !a.isOfStreams =>
      val read = AttributeSet(columns.flatMap(_.references))
      ProjectExec(columns, planned(a, a.left.output.filter(read.contains))) :: Nil
    case a: IntervalAggregate if !a.isOfStreams => planned(a, a.left.output) :: Nil
    case _ => Nil
  }

  /** @param shown
    *   of the left columns, those that are read above
    */
  private[this] def planned(a: IntervalAggregate, shown: Seq[Attribute]): SparkPlan = {
    val c = new IntervalAggregateCandidate(a.join)
    if (!c.isOneInterval) throw Errors.intervalAggregateCondition(a.condition.sql)
    val probing = Probing.from(LeftOuter).get
    // The row that prevails may lie in any cell, and a stream's rows are not sampled.
    val cells = if (a.keepsLast || a.isStreaming) None else JoinCells.forJoin(c.base, probing)
    val inputs = Sides.each[SparkPlan] { side =>
      val input = planLater(c.base.inputs(side))
      cells.fold(input)(in => SliceExec(input, side, probing, in.by, in.attributes(side)))
    }
    val keys = cells.fold(c.keys) { _ =>
      val ids = inputs.map(_.output.last)
      JoinKeys(
        ids.left +: c.keys.left,
        ids.right +: c.keys.right,
        Some(JoinKeys.Cells())
      )
    }
    IntervalAggregateExec(
      IntervalTerms(keys, c.leftTime, c.rightTime, c.band.get, a.keepsLast),
      a.terms,
      shown,
      a.describe(
        c,
        s"sliding over sorted inputs${cells.fold("")(in => s", ${in.describe}")}"
      ),
      inputs.left,
      inputs.right
    )
  }
}

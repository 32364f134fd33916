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
  private[this] val probing = Probing.from(LeftOuter).get

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
    val candidates = a.joins.map(new IntervalAggregateCandidate(_))
    a.parts.zip(candidates).filterNot(_._2.isOneInterval).foreach { case (part, _) =>
      throw Errors.intervalAggregateCondition(part.condition.sql)
    }
    def isUncut = candidates.forall(cellsOf(a, _).isEmpty)
    val cut =
      if (!IntervalAggregateCandidate.goTogether(candidates)) None
      else
        IntervalAggregateCandidate.widest(candidates)
          .orElse(candidates.headOption.filter(_ => isUncut))
    cut.fold(oneAbove(a, shown))(planned(a, candidates, _, shown))
  }

  /** Where rows are cut along time. */
  private[this] def cellsOf(
      a: IntervalAggregate,
      c: IntervalAggregateCandidate
  ): Option[JoinCells] =
    // The row that prevails may lie in any cell, and a stream's rows are not sampled.
    if (a.keepsLast || a.isStreaming) None else JoinCells.forJoin(c.base, probing)

  /** The last of several intervals by an operator above that of the others: what is cut for one may not do for another. */
  private[this] def oneAbove(a: IntervalAggregate, shown: Seq[Attribute]): SparkPlan = {
    val others = a.copy(parts = a.parts.init)
    planned(a.copy(left = others, parts = a.parts.takeRight(1)), shown ++ others.results)
  }

  /** @param cut
    *   the interval by which rows are cut, if they are
    */
  private[this] def planned(
      a: IntervalAggregate,
      candidates: Seq[IntervalAggregateCandidate],
      cut: IntervalAggregateCandidate,
      shown: Seq[Attribute]
  ): SparkPlan = {
    val cells = cellsOf(a, cut)
    val inputs = Sides.each[SparkPlan] { side =>
      val input = planLater(cut.base.inputs(side))
      cells.fold(input)(in => SliceExec(input, side, probing, in.by, in.attributes(side)))
    }
    val keys = cells.fold(cut.keys) { _ =>
      val ids = inputs.map(_.output.last)
      JoinKeys(
        ids.left +: cut.keys.left,
        ids.right +: cut.keys.right,
        Some(JoinKeys.Cells())
      )
    }
    IntervalAggregateExec(
      IntervalTerms(keys, cut.leftTime, cut.rightTime, a.sliding(candidates)),
      shown,
      a.describe(
        candidates,
        s"sliding over sorted inputs${cells.fold("")(in => s", ${in.describe}")}"
      ),
      inputs.left,
      inputs.right
    )
  }
}

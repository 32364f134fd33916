package io.scalegate.spark.join.aggregate

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet}
import org.apache.spark.sql.catalyst.plans.LeftOuter
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan, Project}
import org.apache.spark.sql.execution.{FilterExec, ProjectExec, SparkPlan, SparkStrategy}
import org.apache.spark.sql.internal.SQLConf

import io.scalegate.lookup.Direction
import io.scalegate.spark.join.batch.{
  Carry,
  SliceCopies,
  SliceExec,
  SlicedInputs,
  TimeSliceChoice
}
import io.scalegate.spark.join.plan.JoinCells
import io.scalegate.spark.join.{JoinKeys, KeyBound, Probing}
import io.scalegate.spark.settings.Errors
import io.scalegate.stream.{Side, Sides}

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

  /** How rows are cut along time whose last one before an interval counts, too: a slice is given the rows in reach of its
    * left ones, and the last row before these.
    */
  private[this] def slicesOf(
      a: IntervalAggregate,
      candidates: Seq[IntervalAggregateCandidate],
      cut: IntervalAggregateCandidate
  ): Option[SlicedInputs] = {
    val keys = cut.keys
    val bound = if (keys.left.isEmpty) None else KeyBound.from(keys.left, keys.right)
    val mayBe = a.keepsLast && !a.isStreaming &&
      (keys.left.isEmpty || bound.nonEmpty && !JoinCells.liesByKeys(cut.base))
    if (!mayBe) None
    else {
      val bands = candidates.flatMap(_.band)
      val byHash = bound.exists(_.isByHash)
      val last = Carry(Direction.Backward, if (byHash) keys.right else Nil, Nil, most = 1)
      val copies = SliceCopies(bands.map(_.lower).min, bands.map(_.upper).max, Some(last))
      val attributes = Sides(
        bound.map(_.left).toSeq :+ cut.leftTime,
        bound.map(_.right).toSeq :+ cut.rightTime
      )
      new TimeSliceChoice(a, attributes, copies).find(SQLConf.get)
    }
  }

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
    val slices = slicesOf(a, candidates, cut)
    val inputs = Sides.each[SparkPlan] { side =>
      val input = planLater(cut.base.inputs(side))
      val inCells = cells.map(in => SliceExec(input, side, probing, in.by, in.attributes(side)))
      inCells.orElse(slices.map(_.over(side, side eq Side.R, input))).getOrElse(input)
    }
    val how = cells.map(_.describe).orElse(slices.map(_.describe))
    val keys = how.fold(cut.keys) { _ =>
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
        s"sliding over sorted inputs${how.fold("")(", " + _)}"
      ),
      inputs.left,
      inputs.right
    )
  }
}

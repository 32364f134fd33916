package io.scalegate.spark.plan

import org.apache.spark.sql.catalyst.expressions.{Alias, And, Attribute, Expression}
import org.apache.spark.sql.catalyst.plans.logical.{EventTimeWatermark, LogicalPlan, Project}
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.scalegate.StreamingWindowJoinExec
import org.apache.spark.sql.types.MetadataBuilder

import io.scalegate.join.{Band, Grid, IntegralBand}
import io.scalegate.spark.ScaleGateConf
import io.scalegate.spark.exec.{IndexBy, Probing, SliceBy, SliceExec, WindowJoinOutputExec}
import io.scalegate.spark.extract.BoundedDifference
import io.scalegate.spark.streaming.{StreamCells, StreamJoin, TimeWindow}
import io.scalegate.stream.Side

/** Plans the joins of two streams: with equality keys, both inputs are exchanged by them; without, by the cells of a
  * grid over the bounded attributes beside time; with none of either, all rows meet in one task.
  */
object StreamingJoinStrategy extends SparkStrategy {
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case s: StreamingWindowJoin =>
      val c = StreamingJoins.candidate(s.join).getOrElse(
        throw new IllegalStateException(s"a join that was Spark's was taken from it: $s")
      )
      val exec = planned(c)
      WindowJoinOutputExec(s.output, exec.left.output.length, exec) :: Nil
    case _ => Nil
  }

  private[this] def planned(c: StreamingJoinCandidate): StreamingWindowJoinExec = {
    val probing = Probing.of(c.of.join.joinType).get
    val left = oneEventTime(c.of.join.left, c.time.get.left)
    val right = oneEventTime(c.of.join.right, c.time.get.right)
    val others = c.of.differences.filterNot(_ eq c.time.get.bound)
    if (c.of.isOrdered)
      exec(c, probing, Nil, Nil, planLater(left), planLater(right), Some("in one task, in order"))
    else if (c.of.leftKeys.nonEmpty)
      exec(
        c,
        probing,
        c.of.leftKeys,
        c.of.rightKeys,
        planLater(left),
        planLater(right),
        None
      )
    else if (others.isEmpty || probing.unfound)
      exec(c, probing, Nil, Nil, planLater(left), planLater(right), Some("in one task"))
    else {
      val dimensions = others.take(MostDimensions)
      val cells = StreamCells(
        SliceBy.Cells(Grid(dimensions.map(_.band).toIndexedSeq, single = probing.side)),
        dimensions.map(_.storedLeft),
        dimensions.map(_.storedRight)
      )
      val l = SliceExec(planLater(left), Side.R, probing, cells.by, cells.left)
      val r = SliceExec(planLater(right), Side.S, probing, cells.by, cells.right)
      val along = s"in cells along ${dimensions.map(_.right.sql).mkString(", ")}"
      exec(c, probing, Seq(l.output.last), Seq(r.output.last), l, r, Some(along), Some(cells))
    }
  }

  /** The input with this event time alone: Spark takes several for an error, whichever the join goes by. */
  private[this] def oneEventTime(input: LogicalPlan, time: Attribute): LogicalPlan = {
    def isOther(a: Attribute) =
      a.exprId != time.exprId && a.metadata.contains(EventTimeWatermark.delayKey)
    if (!input.output.exists(isOther)) input
    else
      Project(
        input.output.map {
          case a if isOther(a) =>
            val plain =
              new MetadataBuilder().withMetadata(a.metadata).remove(EventTimeWatermark.delayKey)
            Alias(a, a.name)(a.exprId, explicitMetadata = Some(plain.build()))
          case a => a
        },
        input
      )
  }

  private[this] def exec(
      c: StreamingJoinCandidate,
      probing: Probing,
      leftKeys: Seq[Expression],
      rightKeys: Seq[Expression],
      left: SparkPlan,
      right: SparkPlan,
      where: Option[String],
      cells: Option[StreamCells] = None
  ): StreamingWindowJoinExec = {
    val times = c.time.get
    val time = times.bound
    val terms = termsOf(c.of, cells.map(_ => (leftKeys.head, rightKeys.head)))
    val bands = terms.by match {
      case IndexBy.Bands(bands) => bands
      case other => throw new IllegalStateException(s"a streaming join of $other")
    }
    val (bounded, timeKey) = withTime(terms.left, terms.right, bands, time)
    val band = time.band.asInstanceOf[IntegralBand]
    val join = StreamJoin(
      probing,
      bounded.map(_._1),
      bounded.map(_._2),
      times.left,
      times.right,
      bounded.map(_._3).toIndexedSeq,
      TimeWindow(timeKey, band.lower, band.upper),
      terms.residual,
      cells,
      c.of.isOrdered,
      if (leftKeys.isEmpty) ScaleGateConf.cellThreads(SQLConf.get, SingleTask.cores) else 1,
      c.of.describe(("index over both windows" +: where.toSeq).mkString(" "))
    )
    StreamingWindowJoinExec(join, leftKeys, rightKeys, left, right)
  }

  /** What an index is asked for; the keys alone, where the event times are among them and nothing else is bounded. */
  private[this] def termsOf(
      c: WindowJoinCandidate,
      cells: Option[(Expression, Expression)]
  ): IndexTerms = cells match {
    case Some((left, right)) => c.indexTermsInCells(left, right)
    case None if c.differences.isEmpty =>
      val key = c.key.get
      val rest = (key.residual ++ c.residual).reduceOption(And.apply)
      IndexTerms(Seq(key.left), Seq(key.right), IndexBy.Bands(Vector(key.band)), rest)
    case None => c.indexTerms
  }

  /** The bounded attributes, with the event time among them, and its place. */
  private[this] def withTime(
      left: Seq[Expression],
      right: Seq[Expression],
      bands: IndexedSeq[Band],
      time: BoundedDifference
  ) = {
    val all = left.lazyZip(right).lazyZip(bands).toSeq
    val at = all.indexWhere { case (l, r, _) =>
      l.semanticEquals(time.storedLeft) && r.semanticEquals(time.storedRight)
    }
    if (at >= 0) (all, at)
    else (all :+ ((time.storedLeft, time.storedRight, time.band)), all.length)
  }

  /** More would make more copies of a side's rows than their selectivity is worth. */
  private[this] val MostDimensions = 2
}

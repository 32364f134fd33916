package io.scalegate.spark.join.plan

import scala.annotation.tailrec

import org.apache.spark.sql.catalyst.expressions.{Cast, EqualTo, Expression, Or}
import org.apache.spark.sql.internal.SQLConf

import io.scalegate.band.AttributeType
import io.scalegate.spark.bounds.{LinearForm, TwoInequalities}
import io.scalegate.spark.join.batch.{CellOfPoint, SliceBy}
import io.scalegate.spark.plan.{ColumnLineage, EvenSample, FoundOnce, SampledRow, WeightedValues}
import io.scalegate.spark.rows.PartitionIds
import io.scalegate.spark.settings.{Algorithm, Cores, ScaleGateConf}
import io.scalegate.stream.{Side, Sides}

/** The parts of the line that the intervals of two large inputs lie on, in which they are joined: each row is in all parts
  * that its interval reaches, and a pair is found where the later of its two intervals starts, so that it is found once
  * (Bouros, Mamoulis et al., In-memory interval joins, VLDB Journal 2021).
  *
  * @param attributes
  *   of each side: where a row's interval starts, and where it ends
  */
final private[plan] case class DomainChoice(
    by: SliceBy.Domain,
    attributes: Sides[Seq[Expression]],
    describe: String
) {

  /** What tells the part in which a pair is to be found; None where each row of one side is in one part.
    *
    * @param cell
    *   of the pair's rows
    */
  def once(cell: Expression): Option[Expression] =
    if (attributes.toSeq.exists(DomainChoice.isPoint)) None
    else {
      def starts(side: Side) = EqualTo(cell, CellOfPoint(attributes(side).head, by))
      Some(Or(starts(Side.R), starts(Side.S)))
    }
}

private[plan] object DomainChoice {

  /** None where a matrix copies fewer rows or is asked for, where the line cannot be looked at, or where a row would be
    * decided in several parts. Found once for a join and all the copies that adaptive execution makes of it.
    *
    * @param matrix
    *   what the join would be run by
    */
  def forJoin(c: WindowJoinCandidate, matrix: MatrixChoice, conf: SQLConf): Option[DomainChoice] =
    if (isAskedFor(c, conf)) None
    else
      Domains.in(c.join) { session =>
        for {
          two <- c.inequalities
          attributes <- two.intervals
          if isWhole(two) && isDecidedOnce(matrix, attributes)
          if ScaleGateConf.sampleRows(conf) > 0
          left <- ColumnLineage.of(c.join.left, attributes.left)
          right <- ColumnLineage.of(c.join.right, attributes.right)
          rows = Sides(left, right).map(EvenSample.of(session, _))
          choice <- ofSample(rows, two, attributes, matrix, conf)
        } yield choice
      }

  /** Whether a row's interval starts where it ends. */
  private def isPoint(attributes: Seq[Expression]): Boolean =
    widened(attributes.head).semanticEquals(widened(attributes.last))

  /** What was brought to a larger type, to be compared. */
  @tailrec private[this] def widened(e: Expression): Expression = e match {
    case c: Cast if LinearForm.keepsValue(c.child.dataType, c.dataType) => widened(c.child)
    case other => other
  }

  private[this] def isAskedFor(c: WindowJoinCandidate, conf: SQLConf): Boolean =
    c.leftKeys.nonEmpty || c.layout.nonEmpty || ScaleGateConf.layout(conf).nonEmpty ||
      (c.requested.map(_._1) ++ ScaleGateConf.algorithm(conf)).exists(_ == Algorithm.Matrix)

  private[this] def isWhole(two: TwoInequalities): Boolean =
    two.types.forall(t => t == AttributeType.Int32 || t == AttributeType.Int64)

  private[this] def isDecidedOnce(
      matrix: MatrixChoice,
      attributes: Sides[Seq[Expression]]
  ): Boolean = matrix.probing.isInner ||
    !matrix.probing.unfound && isPoint(attributes(matrix.probing.side))

  private[this] def ofSample(
      rows: Sides[Seq[SampledRow]],
      two: TwoInequalities,
      attributes: Sides[Seq[Expression]],
      matrix: MatrixChoice,
      conf: SQLConf
  ): Option[DomainChoice] = {
    val starts = WeightedValues(rows.toSeq.flatten)(_.keys.head)
    val cuts = starts.cuts(EvenSample.parts(starts.rows, conf.numShufflePartitions.toDouble))
    val ids = new PartitionIds(conf.numShufflePartitions)
    val cells = Array.tabulate(cuts.length + 1)(i => ids.next(i % conf.numShufflePartitions))
    val points = attributes.map(isPoint)
    val by = SliceBy.Domain(two.types, cuts.toVector, cells.toVector, points)
    Option.when(cuts.nonEmpty && work(by, rows.toSeq.flatten) <= work(matrix, rows))(
      DomainChoice(by, attributes, s"${cells.length} parts of the line that they lie on")
    )
  }

  /** What the longest of the tasks at once have of rows to read, copies among them. */
  private[this] def work(by: SliceBy.Domain, rows: Seq[SampledRow]): Double = {
    val ofPart = new Array[Double](by.ids.length)
    for {
      SampledRow(Seq(start, end), weight) <- rows
      part <- by.partOf(start) to by.lastPart(start, end)
    } ofPart(part) += weight
    math.max(ofPart.max, ofPart.sum / Cores.tasksAtOnce)
  }

  private[this] def work(matrix: MatrixChoice, rows: Sides[Seq[SampledRow]]): Double = {
    val count = rows.map(_.map(_.weight).sum)
    (count.left * matrix.layout.columns + count.right * matrix.layout.rows) / Cores.tasksAtOnce
  }

  private[this] val Domains = new FoundOnce[DomainChoice]("scalegate.domain")
}

package io.scalegate.spark.join.asof

import org.apache.spark.sql.catalyst.expressions.{And, EqualTo, Expression, PredicateHelper}
import org.apache.spark.sql.catalyst.optimizer.JoinSelectionHelper
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.scalegate.RealTimeMode

import io.scalegate.band.IntegralBand
import io.scalegate.lookup.NearestIndex
import io.scalegate.spark.join.batch.{
  Carry,
  LocalJoin,
  SliceCopies,
  TimeSliceChoice,
  WindowJoinExec
}
import io.scalegate.spark.join.lookup.{BroadcastSide, KeptRows}
import io.scalegate.spark.join.{IndexTerms, JoinKeys, KeyBound, Probing, WindowJoinNode}
import io.scalegate.spark.plan.InputSize
import io.scalegate.spark.rows.IndexBy
import io.scalegate.spark.settings.{Errors, ScaleGateConf}
import io.scalegate.stream.{Side, Sides}

/** Plans [[AsOfJoin]]s: each left row is looked up in an index of the right rows, by key and time. The right side is
  * broadcast where it is small. Else both sides are exchanged by the keys, and each task indexes its right rows; a key
  * that is too frequent for one task, and the rows of a join without a key, are cut along time.
  */
private[scalegate] object AsOfPlan extends PredicateHelper with JoinSelectionHelper {

  /** @param planned
    *   an input's own plan
    */
  def apply(join: AsOfJoin)(planned: LogicalPlan => SparkPlan): WindowJoinNode = {
    val conf = SQLConf.get
    val (keys, others) = join.equalities
    val probing = Probing.from(join.joinType).get.copy(most = join.terms.most)
    val terms = indexTerms(join, keys, others)
    val isInRealTime = RealTimeMode.isIn(join)
    if (isInRealTime && ScaleGateConf.sparkChecksRealTime(conf))
      throw Errors.realTimeSetting(ScaleGateConf.SparkChecksRealTime)
    val isSmall = isInRealTime || canBroadcastBySize(join.right, conf) &&
      !(keys.left.nonEmpty && InputSize.areExchanged(join.left, join.right))
    lazy val isKept =
      KeptRows.worthKeeping(Sides(join.left, join.right), conf).contains(Side.S)
    if (isSmall || join.broadcast || isKept) {
      val why =
        if (isSmall) s"it has ${InputSize.from(join.right).describe}"
        else if (join.broadcast) "as hinted"
        else KeptRows.Why
      val broadcast = BroadcastSide(join.right, join.left)(planned)
      WindowJoinExec(
        probing,
        LocalJoin.Broadcast(join.right.output, terms, broadcast.kept),
        join.describe(s"index over the broadcast right side ($why)"),
        planned(join.left),
        broadcast.packed
      )
    } else inPartitions(join, keys, probing, terms)(planned)
  }

  /** Both sides are exchanged by the keys, or, where one task would have most of the rows, by slices of time. */
  private[this] def inPartitions(
      join: AsOfJoin,
      keys: JoinKeys,
      probing: Probing,
      terms: IndexTerms
  )(planned: LogicalPlan => SparkPlan): WindowJoinNode = {
    val size = s"(it has ${InputSize.from(join.right).describe})"
    val choice = copiesOf(join, keys, terms).map(new TimeSliceChoice(join, terms.attributes, _))
    choice.flatMap(_.find(SQLConf.get)) match {
      case None =>
        def later =
          if (choice.exists(_.isForLater(SQLConf.get)))
            ", or in slices of time that are looked for when the query runs"
          else ""
        val where =
          if (keys.left.isEmpty) s" in one task$later, for there is no key" else "'s partitions"
        WindowJoinExec(
          probing,
          LocalJoin.Nearest(keys, terms),
          join.describe(s"index over the right side$where $size"),
          planned(join.left),
          planned(join.right)
        )
      case Some(sliced) =>
        val left = sliced.over(Side.R, probing.unmatched, planned(join.left))
        val right = sliced.over(Side.S, whole = false, planned(join.right))
        val cells = JoinKeys(Seq(left.cell), Seq(right.cell), Some(JoinKeys.Cells()))
        WindowJoinExec(
          probing,
          LocalJoin.Nearest(cells, ofOneCell(terms, probing, cells)),
          join.describe(s"index over the right side's partitions, ${sliced.describe} $size"),
          left,
          right
        )
    }
  }

  /** Of each slice to each other, by each task: a few rows beside a slice's. */
  private[this] val MostCarried = 64

  /** One row would be found more than once in a partition of several cells, where it is carried to one that it is not of:
    * which tells nothing apart where one row is looked for.
    */
  private[this] def ofOneCell(
      terms: IndexTerms,
      probing: Probing,
      cells: JoinKeys
  ): IndexTerms =
    if (probing.most == 1) terms
    else {
      val sameCell = EqualTo(cells.left.head, cells.right.head)
      terms.copy(residual = (Seq(sameCell) ++ terms.residual).reduceOption(And.apply))
    }

  /** What each slice is given of the right rows of others: the nearest, whatever they are joined with, or, where they
    * are chosen by a condition, all that the tolerance lets a left row reach. None where neither will do.
    */
  private[this] def copiesOf(
      join: AsOfJoin,
      keys: JoinKeys,
      terms: IndexTerms
  ): Option[SliceCopies] = {
    val byHash = KeyBound.from(keys.left, keys.right).exists(_.isByHash)
    val residual = terms.residual.toSeq.flatMap(splitConjunctivePredicates)
    val isChosen = residual.size > (if (byHash) keys.left.size else 0)
    if (join.isStreaming) None
    else if (!isChosen && join.terms.most <= MostCarried)
      Some(SliceCopies(
        0,
        0,
        Some(Carry(
          join.terms.direction,
          if (byHash) keys.right else Nil,
          join.terms.ties,
          join.terms.most
        ))
      ))
    else
      join.reach._1.collect { case band: IntegralBand =>
        SliceCopies(band.lower, band.upper, None)
      }
  }

  private[this] def indexTerms(
      join: AsOfJoin,
      keys: JoinKeys,
      others: Seq[Expression]
  ): IndexTerms = {
    val terms = join.terms
    val timeType = terms.timeType
    val (within, tolerance) = join.reach
    val by =
      NearestIndex.By(terms.direction, keyed = false, timeType.attribute, terms.exact, within)
    val byTime = IndexTerms(
      Seq(timeType.stored(terms.leftTime)),
      Seq(timeType.stored(terms.rightTime)),
      IndexBy.Nearest(by),
      (tolerance ++ others).reduceOption(And.apply),
      terms.ties
    )
    val key =
      if (keys.left.isEmpty) None
      else
        Some(KeyBound.from(keys.left, keys.right).getOrElse(
          throw new IllegalStateException(s"no key to index by: ${keys.left.map(_.sql)}")
        ))
    key.fold(byTime)(byTime.within)
  }
}

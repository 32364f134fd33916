package io.scalegate.spark.plan

import org.apache.spark.sql.catalyst.expressions.{
  Cast,
  DateDiff,
  Expression,
  Literal,
  PredicateHelper
}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{DateType, LongType}

import io.scalegate.spark.ScaleGateConf
import io.scalegate.spark.exec.{Probing, RowWindowJoinExec, RowsPerKeyJoinExec, WindowJoinNode}
import io.scalegate.spark.extract.{BoundExtractor, BoundedDifference, TermType}

/** Plans the joins of batches over windows that count rows: in one task where all rows count, by keys where the rows of
  * each key do.
  */
private[plan] object RowWindowPlan extends PredicateHelper {

  /** @param planned
    *   an input's own plan
    */
  def apply(w: RowWindowJoin)(planned: LogicalPlan => SparkPlan): WindowJoinNode = {
    val conjuncts = w.condition.toSeq.flatMap(splitConjunctivePredicates)
    val extractor = new BoundExtractor(w.left.outputSet, w.right.outputSet)
    val bounds = extractor.extract(conjuncts)._1.filterNot(_.isEmpty)
    val (left, right) = (planned(w.left), planned(w.right))
    if (w.leftKeys.isEmpty) inOneTask(w, bounds, left, right) else perKey(w, bounds, left, right)
  }

  private[this] def inOneTask(
      w: RowWindowJoin,
      bounds: Seq[BoundedDifference],
      left: SparkPlan,
      right: SparkPlan
  ): WindowJoinNode = {
    val threads =
      w.threads.getOrElse(ScaleGateConf.cellThreads(SQLConf.get, Cores.ofOneTask))
    RowWindowJoinExec(
      Probing.of(w.joinType).get,
      w.rows,
      asLong(w.leftTime) +: bounds.map(_.storedLeft),
      asLong(w.rightTime) +: bounds.map(_.storedRight),
      bounds.map(_.band),
      w.condition,
      threads,
      describe(w, bounds, s"ScaleJoin on $threads threads in one task"),
      left,
      right
    )
  }

  private[this] def perKey(
      w: RowWindowJoin,
      bounds: Seq[BoundedDifference],
      left: SparkPlan,
      right: SparkPlan
  ): WindowJoinNode =
    RowsPerKeyJoinExec(
      Probing.of(w.joinType).get,
      w.rows,
      w.leftKeys.map(WithinRows.comparable),
      w.rightKeys.map(WithinRows.comparable),
      asLong(w.leftTime) +: bounds.map(_.storedLeft),
      asLong(w.rightTime) +: bounds.map(_.storedRight),
      bounds.map(_.band),
      w.condition,
      describe(w, bounds, "each key's last rows over sorted inputs"),
      left,
      right
    )

  private[this] def describe(
      w: RowWindowJoin,
      bounds: Seq[BoundedDifference],
      algorithm: String
  ): String = {
    val same = w.leftKeys.zip(w.rightKeys).map { case (l, r) => s"${l.sql} = ${r.sql}" }
    val which = if (same.isEmpty) "" else " of the key"
    Seq(
      Some(same.mkString("keys: ", ", ", "")).filter(_ => same.nonEmpty),
      Some(s"window: last ${w.rows} rows$which by ${w.leftTime.sql}, ${w.rightTime.sql}"),
      Some(bounds.map(_.shown).mkString("bands: ", ", ", "")).filter(_ => bounds.nonEmpty),
      w.condition.map(c => s"residual: ${c.sql}"),
      Some(s"algorithm: $algorithm")
    ).flatten.mkString("; ")
  }

  /** A time in 64 bits, in an order that is that of its own type. */
  private[this] def asLong(time: Expression): Expression = TermType.of(time.dataType) match {
    case Some(TermType.IntTerm) => Cast(time, LongType)
    case Some(TermType.DateTerm) => Cast(DateDiff(time, Literal(0, DateType)), LongType)
    case _ => time
  }
}

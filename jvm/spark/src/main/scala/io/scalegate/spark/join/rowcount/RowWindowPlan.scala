package io.scalegate.spark.join.rowcount

import org.apache.spark.sql.catalyst.expressions.PredicateHelper
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.internal.SQLConf

import io.scalegate.spark.bounds.{BoundExtractor, BoundedDifference}
import io.scalegate.spark.join.operator.OperatorWindow
import io.scalegate.spark.join.{IndexTerms, Probing, WindowJoinNode}
import io.scalegate.spark.rows.IndexBy
import io.scalegate.spark.settings.{Cores, ScaleGateConf}
import io.scalegate.stream.Sides

/** Plans the joins of batches over windows that count rows: in one task where all rows count, by keys where the rows of
  * each key do.
  */
private[scalegate] object RowWindowPlan extends PredicateHelper {

  /** @param planned
    *   an input's own plan
    */
  def apply(w: RowWindowJoin)(planned: LogicalPlan => SparkPlan): WindowJoinNode = {
    val conjuncts = w.condition.toSeq.flatMap(splitConjunctivePredicates)
    val extractor = new BoundExtractor(w.left.outputSet, w.right.outputSet)
    val bounds = extractor.extract(conjuncts)._1.filterNot(_.isEmpty)
    val inputs = Sides(w.left, w.right).map(planned)
    if (w.window.leftKeys.isEmpty) inOneTask(w, bounds, inputs) else perKey(w, bounds, inputs)
  }

  private[this] def inOneTask(
      w: RowWindowJoin,
      bounds: Seq[BoundedDifference],
      inputs: Sides[SparkPlan]
  ): WindowJoinNode = {
    val operator = w.operator.onThreads(
      w.window.threads.getOrElse(ScaleGateConf.cellThreads(SQLConf.get, Cores.ofOneTask))
    )
    RowWindowJoinExec(
      Probing.from(w.joinType).get,
      operator,
      inLongs(w.window),
      termsOf(w, bounds),
      describe(w, bounds, s"${operator.describe} in one task"),
      inputs.left,
      inputs.right
    )
  }

  private[this] def perKey(
      w: RowWindowJoin,
      bounds: Seq[BoundedDifference],
      inputs: Sides[SparkPlan]
  ): WindowJoinNode = {
    val keys = w.window.keys.map(_.map(WithinRows.comparable))
    RowsPerKeyJoinExec(
      Probing.from(w.joinType).get,
      inLongs(w.window).copy(leftKeys = keys.left, rightKeys = keys.right),
      termsOf(w, bounds),
      describe(w, bounds, "each key's last rows over sorted inputs"),
      inputs.left,
      inputs.right
    )
  }

  /** The condition is evaluated on every candidate, the bounds in it too. */
  private[this] def termsOf(w: RowWindowJoin, bounds: Seq[BoundedDifference]) = IndexTerms(
    bounds.map(_.storedLeft),
    bounds.map(_.storedRight),
    IndexBy.Bands(bounds.map(_.band).toVector),
    w.condition
  )

  private[this] def inLongs(window: RowWindowTerms) =
    window.copy(
      leftTime = OperatorWindow.asLong(window.leftTime),
      rightTime = OperatorWindow.asLong(window.rightTime)
    )

  private[this] def describe(
      w: RowWindowJoin,
      bounds: Seq[BoundedDifference],
      algorithm: String
  ): String = {
    val same = w.window.leftKeys.zip(w.window.rightKeys).map { case (l, r) =>
      s"${l.sql} = ${r.sql}"
    }
    val times = w.window.times.toSeq.map(_.sql).mkString(", ")
    val which = if (same.isEmpty) "" else " of the key"
    Seq(
      Some(same.mkString("keys: ", ", ", "")).filter(_ => same.nonEmpty),
      Some(s"window: ${WithinRows.described(w.window.rows)}$which by $times"),
      Some(bounds.map(_.shown).mkString("bands: ", ", ", "")).filter(_ => bounds.nonEmpty),
      w.condition.map(c => s"residual: ${c.sql}"),
      Some(s"algorithm: $algorithm")
    ).flatten.mkString("; ")
  }
}

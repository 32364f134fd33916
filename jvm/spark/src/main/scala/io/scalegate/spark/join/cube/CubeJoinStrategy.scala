package io.scalegate.spark.join.cube

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.{LocalTableScanExec, SparkPlan, SparkStrategy}

/** Plans joins of three batches that a hint asks a cube for. */
object CubeJoinStrategy extends SparkStrategy {
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case join: CubeJoin if !join.isStreaming =>
      val none: SparkPlan = LocalTableScanExec(join.output, Nil, None)
      CubeTerms.from(join).fold(none)(planned(join, _)) :: Nil
    case hint: CubeHint => planLater(hint.child) :: Nil
    case _ => Nil
  }

  private[this] def planned(join: CubeJoin, terms: CubeTerms): SparkPlan = {
    val inputs = terms.presentIn(join.children).map(planLater)
    CubeJoinExec(
      join.workers,
      terms.times,
      terms.bounded,
      terms.residual,
      terms.pairs,
      terms.shown,
      inputs(0),
      inputs(1),
      inputs(2)
    )
  }
}

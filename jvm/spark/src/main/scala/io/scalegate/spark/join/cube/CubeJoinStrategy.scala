package io.scalegate.spark.join.cube

import org.apache.spark.sql.catalyst.expressions.{And, Expression, IsNotNull}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.{FilterExec, LocalTableScanExec, SparkPlan, SparkStrategy}
import org.apache.spark.sql.internal.SQLConf

import io.scalegate.matrix.cube.CubeLayout
import io.scalegate.spark.settings.{Cores, ScaleGateConf}

/** Plans joins of three inputs that a hint asks a cube for. */
object CubeJoinStrategy extends SparkStrategy {
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case join: CubeJoin =>
      val none: SparkPlan = LocalTableScanExec(join.output, Nil, None)
      CubeTerms.from(join).fold(none)(planned(join, _)) :: Nil
    case hint: CubeHint => planLater(hint.child) :: Nil
    case _ => Nil
  }

  private[this] def planned(join: CubeJoin, terms: CubeTerms): SparkPlan = {
    val layout = join.layout.getOrElse(
      CubeLayout(ScaleGateConf.cellThreads(SQLConf.get, Cores.ofOneTask), 1, 1)
    )
    val inputs = join.children.zip(terms.times).zip(terms.bounded).map {
      case ((input, time), bounded) => notNull(planLater(input), time +: bounded)
    }
    CubeJoinExec(
      layout,
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

  /** A row whose time or banded attribute is NULL matches nothing. */
  private[this] def notNull(input: SparkPlan, terms: Seq[Expression]): SparkPlan =
    terms.filter(_.nullable).map(IsNotNull(_): Expression).reduceOption(And.apply)
      .fold(input)(FilterExec(_, input))
}

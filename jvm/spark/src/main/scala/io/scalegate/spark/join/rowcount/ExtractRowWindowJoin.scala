package io.scalegate.spark.join.rowcount

import org.apache.spark.sql.catalyst.expressions.{And, Expression, PredicateHelper}
import org.apache.spark.sql.catalyst.plans.Inner
import org.apache.spark.sql.catalyst.plans.logical.{Join, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule

import io.scalegate.spark.join.hint.{OuterColumn, WindowJoinRequested}
import io.scalegate.spark.join.{Probing, PythonCondition}
import io.scalegate.spark.settings.{Errors, JoinOperator, NamedOperator, ScaleGateConf}

/** Takes joins with [[WithinRows]] out of the optimizer's hands.
  *
  * The rule runs when a plan is normalized, before the optimizer, which moves filters below joins: a filter below would
  * take rows out of the windows.
  */
object ExtractRowWindowJoin extends Rule[LogicalPlan] with PredicateHelper {
  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!ScaleGateConf.enabled(conf)) plan
    else
      plan.transformUpWithSubqueries {
        case j: Join
            if j.resolved && Probing.from(j.joinType).nonEmpty && !j.isStreaming &&
              j.condition.exists(_.exists(_.isInstanceOf[WithinRows])) =>
          rewrite(j).getOrElse(j)
      }

  private[this] def rewrite(join: Join): Option[LogicalPlan] = {
    val conjuncts = join.condition.toSeq.flatMap(splitConjunctivePredicates)
    val others = conjuncts.filterNot {
      case _: WithinRows | _: WindowJoinRequested => true
      case _ => false
    }
    others
      .find(PythonCondition.isIn)
      .foreach(c => throw Errors.withinRowsPython(c.sql))
    OuterColumn.in(join).foreach(c =>
      throw Errors.markerCorrelated("within_rows", c)
    )
    for {
      window <- conjuncts.collect { case w: WithinRows => w } match {
        case Seq(only) => Some(only)
        case _ => None
      }
      if !others.exists(_.exists(_.isInstanceOf[WithinRows])) && others.forall(_.deterministic)
      (l, r) <- window.times(join.left.outputSet, join.right.outputSet)
      (leftKeys, rightKeys) <- window.keys(join.left.outputSet, join.right.outputSet)
      rows <- window.rows(join.left.outputSet, join.right.outputSet)
    } yield RowWindowJoin(
      join.left,
      join.right,
      RowWindowTerms(l, r, leftKeys, rightKeys, rows, window.threads),
      others.reduceOption(And.apply),
      join.joinType,
      operator(join, conjuncts, window)
    )
  }

  /** The operator that a hint names. */
  private[this] def operator(
      join: Join,
      conjuncts: Seq[Expression],
      window: WithinRows
  ): NamedOperator = {
    val options = conjuncts.collectFirst { case r: WindowJoinRequested => r.options }
    if (options.exists(_.ordered)) throw Errors.orderedBatch
    val asked = options.flatMap(_.requested).map {
      case o: NamedOperator => o
      case other =>
        throw Errors.hintAlgorithm(
          other.name,
          "rows are joined over row windows by operators of the papers"
        )
    }
    for {
      o <- asked
      why <- JoinOperator.obstacle(o.operator, isKeyed = false, join.joinType == Inner).orElse(
        Option.when(window.isPerKey)("the rows of each key are joined on one thread")
      )
    } throw Errors.hintAlgorithm(o.name, why)
    asked.getOrElse(NamedOperator(JoinOperator.ScaleJoin))
  }
}

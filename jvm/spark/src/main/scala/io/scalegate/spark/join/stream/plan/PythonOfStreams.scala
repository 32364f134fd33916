package io.scalegate.spark.join.stream.plan

import org.apache.spark.sql.catalyst.expressions.And
import org.apache.spark.sql.catalyst.plans.logical.{Join, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule

import io.scalegate.spark.join.asof.AsOf
import io.scalegate.spark.join.plan.SimplifiedJoin
import io.scalegate.spark.join.python.{ExtractPythonJoin, PythonCall}
import io.scalegate.spark.join.{Probing, PythonCondition}
import io.scalegate.spark.plan.BothStreaming
import io.scalegate.spark.settings.{Errors, ScaleGateConf}

/** Hides functions in Python from Spark that decide which rows of a stream match nothing: the tasks of a join call them
  * for the pairs that they find. The rule runs when a plan is normalized, for what is only looked at; a query's joins are
  * hidden when it starts.
  */
object PythonOfStreams extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!ScaleGateConf.enabled(conf)) plan
    else
      plan.transformUp {
        case BothStreaming(j) if ExtractPythonJoin.filtered(j).isEmpty =>
          hidden(j).fold[LogicalPlan](j)(h =>
            StreamingWindowJoin(h.left, h.right, h.joinType, h.condition)
          )
      }

  /** What functions in Python say of pairs is a filter of an inner join's rows; another's tasks call them. */
  private[plan] def withoutPython(query: LogicalPlan): LogicalPlan = query.transformUp {
    case BothStreaming(j) =>
      ExtractPythonJoin.filtered(j).orElse(hidden(j)).getOrElse(j)
  }

  /** None where no function takes columns of both inputs. */
  private[this] def hidden(join: Join): Option[Join] = PythonCondition.of(join).map { c =>
    val conjuncts = c.candidates ++ c.python.map(PythonCall.hide)
    val calling = join.copy(condition = conjuncts.reduceOption(And.apply))
    val isRunnable = !join.condition.exists(AsOf.isIn) &&
      Probing.from(join.joinType).nonEmpty &&
      StreamingJoins.candidate(SimplifiedJoin(calling)).exists(_.mayCallPython)
    if (!isRunnable) throw Errors.pythonStream(c.python.head.sql)
    calling
  }
}

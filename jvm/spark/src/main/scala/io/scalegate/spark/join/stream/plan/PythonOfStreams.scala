package io.scalegate.spark.join.stream.plan

import org.apache.spark.sql.catalyst.expressions.{And, Expression, PredicateHelper}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, Join, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule

import io.scalegate.spark.join.asof.AsOf
import io.scalegate.spark.join.plan.SimplifiedJoin
import io.scalegate.spark.join.python.ExtractPythonJoin
import io.scalegate.spark.join.rowcount.WithinRows
import io.scalegate.spark.join.{Probing, PythonCondition, WholeInputMarker}
import io.scalegate.spark.plan.{BothStreaming, PythonCall}
import io.scalegate.spark.settings.{Errors, ScaleGateConf}

/** Hides functions in Python from Spark that decide which rows of a stream match nothing: the tasks of a join call them
  * for the pairs that they find. The rule runs when a plan is normalized, for what is only looked at; a query's joins are
  * hidden when it starts.
  */
object PythonOfStreams extends Rule[LogicalPlan] with PredicateHelper {
  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!ScaleGateConf.enabled(conf)) plan
    else
      plan.transformUp {
        case BothStreaming(j) if ExtractPythonJoin.filtered(j).isEmpty =>
          hidden(j) match {
            case None => j
            case Some(nearest) if isNearest(nearest) => nearest
            case Some(h) => StreamingWindowJoin(h.left, h.right, h.joinType, h.condition)
          }
      }

  /** What functions in Python say of pairs is a filter of an inner join's rows; another's tasks call them. */
  private[plan] def withoutPython(query: LogicalPlan): LogicalPlan = query.transformUp {
    case BothStreaming(j) =>
      ExtractPythonJoin.filtered(j) match {
        case Some(Filter(python, pairs: Join)) => Filter(python, hidden(pairs).getOrElse(pairs))
        case _ => hidden(j).getOrElse(j)
      }
  }

  private[this] def isNearest(join: Join) = join.condition.exists(AsOf.isIn)

  /** The join whose tasks call functions in Python, if they have to: those of both inputs' columns and, where a filter of an
    * input takes rows away that others are counted by, or nearest to, all that are in the condition.
    */
  private[this] def hidden(join: Join): Option[Join] = {
    val ofBoth = PythonCondition.of(join).toSeq.flatMap(_.python)
    val isOwn = isNearest(join) || WithinRows.find(join.condition).nonEmpty
    def isCalled(c: Expression) = ofBoth.contains(c) ||
      isOwn && !c.isInstanceOf[WholeInputMarker] && c.deterministic && PythonCondition.isIn(c)
    val (python, others) =
      join.condition.toSeq.flatMap(splitConjunctivePredicates).partition(isCalled)
    Option.when(python.nonEmpty) {
      val calling =
        join.copy(condition = (others ++ python.map(PythonCall.hide)).reduceOption(And.apply))
      val isRunnable = isNearest(join) || Probing.from(join.joinType).nonEmpty &&
        StreamingJoins.candidate(SimplifiedJoin(calling)).exists(_.mayCallPython)
      if (!isRunnable) throw Errors.pythonStream(python.head.sql)
      calling
    }
  }
}

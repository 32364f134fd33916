package io.scalegate.spark.join.explain

import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnresolvedHint, WithCTE}
import org.apache.spark.sql.catalyst.rules.Rule

import io.scalegate.spark.settings.{Constant, Errors}

/** Finds the hints that ask about a frame, where one is the last thing said of it: [[ExplainJoins]] and [[JoinMetricsTable]]. It
  * runs among the hint resolution rules of analysis, as [[io.scalegate.spark.join.hint.ResolveWindowJoinHint]] does. Spark
  * has lifted the frame's common table expressions above the hint by then.
  */
object ResolveFrameHints extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case Hinted(frame, question) => question(frame)
    case WithCTE(Hinted(frame, question), tables) => question(WithCTE(frame, tables))
    case other => other
  }

  private[this] object Hinted {
    def unapply(plan: LogicalPlan): Option[(LogicalPlan, LogicalPlan => LogicalPlan)] =
      plan match {
        case UnresolvedHint(name, Seq(), frame) if name.equalsIgnoreCase(ExplainJoins.Name) =>
          Some(frame -> (ExplainJoins(_)))
        case UnresolvedHint(name, arguments, frame)
            if name.equalsIgnoreCase(JoinMetricsTable.Name) =>
          val per = arguments match {
            case Seq() => JoinMetricsTable.Operator
            case Seq(Constant.Text(per)) if JoinMetricsTable.All.contains(per) => per
            case other => throw Errors.joinMetricsArguments(other.map(_.sql))
          }
          Some(frame -> (JoinMetricsTable(_, per)))
        case _ => None
      }
  }
}

package org.apache.spark.sql.scalegate

import org.apache.spark.sql.catalyst.analysis.Analyzer
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.{SparkSession, classic}

/** Gives the analyzer of a session with Hive support the hint resolution rules that its builder leaves out, as Spark's
  * builder of other sessions gives them. No other rule sees a query that is about to start before Spark's check of it.
  *
  * It is a resolution rule, since the analyzer cannot be had before it runs, and changes no plan: from the session's
  * second analysis on the rules are there. A query that starts is never the first, the frame that it is of was
  * analyzed.
  */
final class HintRulesWithHive(session: SparkSession, rules: Seq[Rule[LogicalPlan]])
    extends Rule[LogicalPlan] {
  private[this] lazy val isDone: Boolean = session match {
    case s: classic.SparkSession => give(s.sessionState.analyzer)
    case _ => false
  }

  override def apply(plan: LogicalPlan): LogicalPlan = {
    isDone
    plan
  }

  /** A Spark that has no such field, or a JVM that keeps it as it is, leaves the check to Spark. */
  private[this] def give(to: Analyzer): Boolean = to.hintResolutionRules.isEmpty &&
    (try {
      val field = classOf[Analyzer].getDeclaredField("hintResolutionRules")
      field.setAccessible(true)
      field.set(to, rules)
      true
    } catch { case _: ReflectiveOperationException => false })
}

package io.scalegate.spark

import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.expressions.ExpressionInfo
import org.apache.spark.sql.{SparkSessionExtensions, SparkSessionExtensionsProvider}

import io.scalegate.spark.plan.{
  DropInferredMarkers,
  ExtractRowWindowJoin,
  MoveHintToCondition,
  ResolveWindowJoinHint,
  WindowJoinStrategy,
  WithinRows
}

/** What the package adds to a session. The jar's service file names this class, so a session that has the
  * jar on its class path has it; naming it in `spark.sql.extensions` as well does no harm, since every
  * rule here leaves its own work alone.
  *
  *   - hint resolution rule: `WINDOW_JOIN` is unknown to Spark, which would drop it before analysis;
  *   - post-hoc resolution rule: a hint becomes part of the join's condition once the join's inputs are
  *     known, because the optimizer rebuilds joins and keeps nothing else of them;
  *   - plan normalization rule: joins over row-count windows leave the optimizer's hands, since it
  *     moves filters below joins; not before, for `Dataset.join` expects a Join of the analyzer;
  *   - optimizer rule: takes the hint's marker out of the filters that Spark infers from it;
  *   - planner strategy: runs before Spark's own choice of a join.
  */
final class ScaleGateExtensions extends SparkSessionExtensionsProvider {
  def apply(extensions: SparkSessionExtensions): Unit = {
    extensions.injectHintResolutionRule(_ => ResolveWindowJoinHint)
    extensions.injectPostHocResolutionRule(_ => MoveHintToCondition)
    extensions.injectPlanNormalizationRule(_ => ExtractRowWindowJoin)
    extensions.injectOptimizerRule(_ => DropInferredMarkers)
    extensions.injectPlannerStrategy(_ => WindowJoinStrategy)
    extensions.injectFunction(
      (
        FunctionIdentifier(WithinRows.Name),
        new ExpressionInfo(classOf[WithinRows].getName, WithinRows.Name),
        WithinRows.fromArguments
      )
    )
  }
}

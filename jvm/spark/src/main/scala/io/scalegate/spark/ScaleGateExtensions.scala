package io.scalegate.spark

import java.util.concurrent.atomic.AtomicBoolean

import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.scalegate.HintRulesWithHive
import org.apache.spark.sql.scalegate.ui.ScaleGateTab
import org.apache.spark.sql.{
  SparkSession,
  SparkSessionExtensions,
  SparkSessionExtensionsProvider,
  classic
}
import org.slf4j.LoggerFactory

import io.scalegate.spark.join.aggregate.grouped.ExtractGroupedPairs
import io.scalegate.spark.join.aggregate.{
  ExtractIntervalAggregate,
  IntervalAggregateStrategy,
  NarrowIntervalAggregate,
  Prevailing,
  ResolveStreamingAggregate
}
import io.scalegate.spark.join.asof.{AsOf, ExtractAsOfJoin, PushThroughAsOfJoin}
import io.scalegate.spark.join.cube.{CubeJoinStrategy, ExtractCubeJoin, ResolveCubeHint}
import io.scalegate.spark.join.explain.{RecentQueries, ResolveFrameHints}
import io.scalegate.spark.join.hint.{
  ColumnNames,
  DropInferredMarkers,
  LateralRows,
  MoveHintToCondition,
  ResolveWindowJoinHint
}
import io.scalegate.spark.join.plan.{SplitFullJoin, SplitSkewedPartitions, WindowJoinStrategy}
import io.scalegate.spark.join.python.{ExtractPythonJoin, PushThroughPythonJoin, SplitPythonJoin}
import io.scalegate.spark.join.rowcount.{ExtractRowWindowJoin, WithinRows}
import io.scalegate.spark.join.stream.plan.{
  ExtractStreamingWindowJoin,
  HideStreamingJoins,
  PythonOfStreams,
  ShowStreamingJoins,
  StreamingJoinStrategy
}
import io.scalegate.spark.join.stream.realtime.MetricsFunction
import io.scalegate.spark.join.stream.state.StateFunction
import io.scalegate.spark.plan.ReadOnceStrategy
import io.scalegate.spark.rules.{
  EmptyStreamStrategy,
  KeepEmptyStreams,
  LastRules,
  MarkTwoSteps,
  RowExchanges,
  TwoStepsStrategy
}
import io.scalegate.spark.settings.{FunctionText, SparkRelease}
import io.scalegate.spark.window.hint.ResolveWindowHints
import io.scalegate.spark.window.rules.{
  ByTime,
  CheckRealTimeWindows,
  ExtractStreamingPanes,
  ExtractTimeWindows,
  GatherTimeWindows,
  PlacePanes,
  SlidingAggregateStrategy,
  StreamingPanesStrategy,
  TellOutputMode
}

/** Where the package comes into a session. The jar's service file names this class, so a session that has the jar on
  * its class path has it; naming it in `spark.sql.extensions` as well does no harm.
  *
  * On a Spark that this build is not for it adds nothing and says so once: what is left is that Spark. So neither this
  * class nor `SparkRelease` may mention a class that any Spark since 3.5 has elsewhere or not at all, or that Scala
  * 2.12 has not; what does is `ScaleGateRules`, which is loaded when it is called. A preview or a vendor's build of the
  * right minor may lack classes, too.
  */
final class ScaleGateExtensions extends SparkSessionExtensionsProvider {
  def apply(extensions: SparkSessionExtensions): Unit = SparkRelease.obstacle match {
    case None =>
      try ScaleGateRules.register(extensions)
      catch { case missed: LinkageError => warn(SparkRelease.lacks(missed)) }
    case Some(why) => warn(why)
  }

  private[this] def warn(why: String): Unit =
    if (ScaleGateExtensions.warned.compareAndSet(false, true))
      LoggerFactory.getLogger(classOf[ScaleGateExtensions]).warn(why)
}

private object ScaleGateExtensions {

  /** Each session of a JVM asks. */
  private val warned = new AtomicBoolean
}

/** What the package adds to a session. `ScaleGateExtensions` asks for it on the Spark that this build is for, and on
  * no other: to load this class is to link to what other releases of Spark have elsewhere. To be asked twice does no
  * harm, since every rule here leaves its own work alone.
  *
  *   - hint resolution rules: `WINDOW_JOIN`, `WINDOW_DESIGN`, `WINDOW_EMIT`, `CUBE_JOIN`, `EXPLAIN_JOINS` and `JOIN_METRICS` are unknown to Spark, which would drop them before
  *     analysis;
  *   - resolution rules: the same again, for the first analysis of a session with Hive support, whose analyzer is built
  *     without the hint resolution rules of others, and drops unknown hints after its resolution rules only; and the one
  *     that gives them to such an analyzer;
  *   - post-hoc resolution rule: a hint becomes part of the join's condition once the join's inputs are
  *     known, because the optimizer rebuilds joins and keeps nothing else of them;
  *   - plan normalization rules: joins over row-count windows, of three inputs and as-of joins leave the optimizer's hands, since it
  *     moves filters below joins; not before, for `Dataset.join` expects a Join of the analyzer; and so do aggregates of
  *     the rows around each row, of whose subqueries it would make joins, and joins whose conditions call functions in
  *     Python, which it would refuse;
  *   - optimizer rules: move filters below as-of joins, interval aggregates and joins with functions in Python where
  *     that changes nothing, and take aggregates out of these that nobody reads;
  *   - rules before the cost-based ones, when filters and columns have been moved below the joins and outer joins made
  *     inner that can be: make two joins of a full join that is not run as one, and of one with functions in Python
  *     those that find its candidates and its rows;
  *   - optimizer rule: takes the hint's marker out of the filters that Spark infers from it;
  *   - planner strategies: one runs before Spark's own choice of a join, one shares what a full join's halves must not
  *     read twice;
  *   - rule of adaptive execution, when it plans again with what it has learned: cuts partitions of ours that are far
  *     larger than others, as Spark does below its own joins only.
  *
  * And for joins of two streams:
  *
  *   - hint resolution rule, the first to see a query that is about to start: hides from Spark's check the joins that
  *     it would refuse and that are run here;
  *   - post-hoc resolution rule: takes subqueries that aggregate the rows of one stream around each row of another out of
  *     the query, for Spark's check refuses any stream in a subquery;
  *   - plan normalization rules: show them to the optimizer again, in every batch, and hide from it whether a stream
  *     has rows for the batch, with a strategy that plans what stands for one that has none;
  *   - rule before the cost-based ones, when filters and columns have been moved below the joins: takes these out of
  *     the hands of Spark's own strategy for joins of streams, which comes before any other;
  *   - table function: reads what a checkpoint holds;
  *   - check rule: checks nothing, and adds a tab to Spark's UI and a listener, for the figures of joins that ran, when a
  *     session's analyzer is made, the first moment at which there is an application;
  *   - rules around the transitions between rows and columns, when nothing but the generated code is to come: freeze
  *     the stateful operators, which Spark's rules copy at a price, and let joined rows that nobody reads leave as they
  *     are.
  *
  * And for aggregates over sliding windows:
  *
  *   - hint resolution rules: tell those of a query that is about to start its output mode, before Spark 4.2, and refuse
  *     one in Real-Time Mode whose session is not made for it;
  *   - resolution rule: Spark's analyzer has written each window as a projection of its own, and would go over all of
  *     them with its other rules;
  *   - plan normalization rule: makes a node of the windows that the optimizer keeps together; not before, for the
  *     analyzer knows how to rename the columns of its own nodes only;
  *   - optimizer rule: once names and views are gone, keeps the windows that panes can compute and gives the others
  *     back;
  *   - rule before the cost-based ones: takes those of streams out of the hands of Spark's own strategy for aggregates
  *     of streams, which comes before any other;
  *   - planner strategies: plan the panes before Spark's own plans the aggregate;
  *   - functions: the first and the last value by time.
  *
  * And for joins and aggregates:
  *
  *   - rule before the cost-based ones, the last of them, and a planner strategy: mark the operators that run in two
  *     steps, so that adaptive execution does not take the first step's rows for the operator's.
  */
private object ScaleGateRules {
  private[this] val log = LoggerFactory.getLogger(classOf[ScaleGateExtensions])
  private[this] val hintRules =
    Seq(
      ResolveFrameHints,
      ResolveWindowJoinHint,
      ResolveWindowHints,
      ResolveCubeHint,
      ColumnNames,
      HideStreamingJoins,
      TellOutputMode,
      CheckRealTimeWindows
    )

  def register(extensions: SparkSessionExtensions): Unit = {
    hintRules.foreach(rule => extensions.injectHintResolutionRule(_ => rule))
    extensions.injectResolutionRule(new HintRulesWithHive(_, hintRules))
    extensions.injectResolutionRule(_ => ResolveWindowJoinHint)
    extensions.injectResolutionRule(_ => ResolveFrameHints)
    extensions.injectResolutionRule(_ => ResolveWindowHints)
    extensions.injectResolutionRule(_ => ResolveCubeHint)
    extensions.injectResolutionRule(_ => ColumnNames)
    extensions.injectResolutionRule(_ => LateralRows)
    extensions.injectPostHocResolutionRule(_ => MoveHintToCondition)
    extensions.injectPostHocResolutionRule(_ => ResolveStreamingAggregate)
    extensions.injectPlanNormalizationRule(_ => PythonOfStreams)
    extensions.injectPlanNormalizationRule(_ => ExtractPythonJoin)
    extensions.injectOptimizerRule(_ => PushThroughPythonJoin)
    extensions.injectPreCBORule(_ => SplitPythonJoin)
    extensions.injectPlanNormalizationRule(_ => ExtractRowWindowJoin)
    extensions.injectPlanNormalizationRule(_ => ExtractCubeJoin)
    extensions.injectPlannerStrategy(_ => CubeJoinStrategy)
    extensions.injectPlanNormalizationRule(_ => ExtractAsOfJoin)
    extensions.injectPlanNormalizationRule(_ => ExtractIntervalAggregate)
    extensions.injectPlanNormalizationRule(_ => ExtractGroupedPairs)
    extensions.injectPlannerStrategy(_ => IntervalAggregateStrategy)
    extensions.injectOptimizerRule(_ => PushThroughAsOfJoin)
    extensions.injectOptimizerRule(_ => NarrowIntervalAggregate)
    extensions.injectPlanNormalizationRule(_ => ShowStreamingJoins)
    extensions.injectPlannerStrategy(_ => EmptyStreamStrategy)
    extensions.injectPreCBORule(_ => ExtractStreamingWindowJoin)
    extensions.injectPlannerStrategy(_ => StreamingJoinStrategy)
    extensions.injectColumnar(_ => LastRules)
    extensions.injectPreCBORule(_ => SplitFullJoin)
    extensions.injectOptimizerRule(_ => DropInferredMarkers)
    extensions.injectPlannerStrategy(_ => WindowJoinStrategy)
    extensions.injectPlannerStrategy(_ => ReadOnceStrategy)
    extensions.injectQueryStagePrepRule(_ => SplitSkewedPartitions)
    extensions.injectQueryStagePrepRule(_ => RowExchanges)
    extensions.injectResolutionRule(_ => GatherTimeWindows)
    extensions.injectPlanNormalizationRule(_ => ExtractTimeWindows)
    extensions.injectPlanNormalizationRule(_ => KeepEmptyStreams)
    extensions.injectOptimizerRule(_ => PlacePanes)
    extensions.injectPreCBORule(_ => ExtractStreamingPanes)
    extensions.injectPlannerStrategy(_ => SlidingAggregateStrategy)
    extensions.injectPlannerStrategy(_ => StreamingPanesStrategy)
    extensions.injectPreCBORule(_ => MarkTwoSteps)
    extensions.injectPlannerStrategy(_ => TwoStepsStrategy)
    ByTime.functions.foreach(extensions.injectFunction)
    Seq[(FunctionText, Class[_], Seq[Expression] => Expression)](
      (FunctionText.WithinRows, classOf[WithinRows], WithinRows.fromArguments),
      (FunctionText.Prevailing, classOf[Prevailing], Prevailing.fromArguments),
      (FunctionText.AsOf, classOf[AsOf], AsOf.fromArguments),
      (FunctionText.Nearest, classOf[AsOf], AsOf.fromNearestArguments)
    ).foreach { case (text, made, fromArguments) =>
      extensions.injectFunction((FunctionIdentifier(text.name), text.info(made), fromArguments))
    }
    extensions.injectTableFunction(StateFunction.description)
    extensions.injectTableFunction(MetricsFunction.description)
    extensions.injectCheckRule { session =>
      showIn(session)
      rememberIn(session)
      _ => ()
    }
  }

  private[this] def rememberIn(session: SparkSession): Unit =
    session.asInstanceOf[classic.SparkSession].listenerManager.register(RecentQueries)

  /** The tab is a convenience: where a Spark has another UI than its release, queries run all the same. */
  private[this] def showIn(session: SparkSession): Unit =
    try ScaleGateTab.attach(session)
    catch {
      case e @ (_: Exception | _: LinkageError) =>
        log.warn("Spark's UI has no tab of scalegate", e)
    }
}

package io.scalegate.spark.window.rules

import org.apache.spark.sql.catalyst.expressions.aggregate.Partial
import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  Attribute,
  AttributeMap,
  Expression,
  NamedExpression,
  PreciseTimestampConversion
}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.{
  FilterExec,
  LocalTableScanExec,
  ProjectExec,
  SparkPlan,
  SparkStrategy
}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.scalegate.stream.{PlannedExec, StreamingPanesExec}
import org.apache.spark.sql.scalegate.{GroupingKeys, RealTimeMode, SparkStreams}
import org.apache.spark.sql.streaming.OutputMode
import org.apache.spark.sql.types.LongType

import io.scalegate.spark.checkpoint.TermText
import io.scalegate.spark.join.stream.plan.RealTimeQueries
import io.scalegate.spark.join.stream.realtime.RealTimeTerms
import io.scalegate.spark.settings.{Errors, ScaleGateConf, WindowEmission}
import io.scalegate.spark.window.SlidingAggregate
import io.scalegate.spark.window.partial.{PaneColumn, PaneFunctions, PartialPanesExec}
import io.scalegate.spark.window.stream.realtime.LivePartialsExec
import io.scalegate.spark.window.stream.{RealTimePanesTerms, StreamPanes}

/** Plans aggregates of streams over sliding windows: a partial aggregate by keys and pane, an exchange by the
  * keys, and the operator that holds the panes.
  */
object StreamingPanesStrategy extends SparkStrategy {
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case s: StreamingPaneAggregate =>
      s.aggregate match {
        case SlidingAggregate(found) => Seq(planned(found))
        case other =>
          throw new IllegalStateException(
            s"an aggregate that was Spark's was taken from it: $other"
          )
      }
    case _ => Nil
  }

  private[this] def planned(found: SlidingAggregate): PlannedExec = {
    val keys = found.keys.map(GroupingKeys.normalized)
    if (RealTimeMode.isIn(found.windows)) realTime(found, keys)
    else
      over(
        panesOf(found, keys),
        found.windows.mode,
        PartialPanesExec.plan(found, keys, planLater)
      )
  }

  private[this] def over(panes: StreamPanes, mode: Option[OutputMode], input: SparkPlan) =
    PlannedExec(
      panes.output,
      input,
      LocalTableScanExec(Nil, Nil, None),
      StreamingPanesExec(panes, mode, _)
    )

  private[this] def realTime(found: SlidingAggregate, keys: Seq[NamedExpression]): PlannedExec = {
    val conf = SQLConf.get
    val emission = PlacePanes.emission(found.windows).getOrElse(
      throw new IllegalStateException("an aggregate was taken from Spark that is Spark's")
    )
    found.windows.child.find(RealTimeQueries.mixesSources).foreach { below =>
      throw Errors.realTimeOperator(s"an aggregate over windows above a ${below.nodeName}")
    }
    val panes = panesOf(found, keys).copy(
      realTime = Some(RealTimePanesTerms(emission, ScaleGateConf.idleNanos(conf)))
    )
    panes.design.filter(_ => emission == WindowEmission.Update).foreach { design =>
      throw Errors.designCannot(design.toString, "it gives a window once, when it is through")
    }
    if (emission == WindowEmission.Final && !panes.hasWatermark)
      throw Errors.realTimeWindows
    val time = found.windows.time
    val micros = Alias(PreciseTimestampConversion(time, time.dataType, LongType), "time")()
    val functions = found.functions.map(_.copy(mode = Partial))
    val below = planLater(found.windows.child)
    val taken = found.rows.condition.fold(below)(FilterExec(_, below))
    over(
      panes,
      found.windows.mode,
      LivePartialsExec(
        PaneColumn(found.windows.by, found.rows.pane),
        keys,
        micros.toAttribute,
        functions,
        if (panes.packed) LivePartialsExec.blocks
        else found.rows.pane +: PaneFunctions(Nil, functions, Nil).partial,
        Option.when(panes.hasWatermark)(RealTimeTerms.delayOf(found.window)),
        if (keys.isEmpty) 1
        else SparkStreams.statefulPartitions(conf).getOrElse(conf.numShufflePartitions),
        LivePartialsExec.told,
        ProjectExec(found.rows.fields :+ micros, taken)
      )
    )
  }

  private[this] def panesOf(found: SlidingAggregate, keys: Seq[NamedExpression]): StreamPanes = {
    val design = found.windows.design
    design.foreach(DesignedFunctions.check(found, _))
    StreamPanes(
      found.terms(keys),
      found.window,
      found.rows.pane,
      found.results,
      PartialPanesExec.packs(found),
      functionTerms(found),
      design = design
    )
  }

  /** The functions, their arguments and filters over what the rows have that come to the windows. */
  private[this] def functionTerms(found: SlidingAggregate): Seq[String] = {
    val fields = AttributeMap(found.rows.fields.collect { case f: Alias =>
      f.toAttribute -> f.child
    })
    val text = new TermText(a => TermText.folded(a.name))
    def termOf(e: Expression) =
      text(e.transform { case a: Attribute => fields.getOrElse(a, a) })
    found.functions.map { f =>
      val result = TermText.typeName(f.aggregateFunction.dataType)
      s"${termOf(f.aggregateFunction)}${f.filter.fold("")(c => s" filter ${termOf(c)}")} $result"
    }
  }
}

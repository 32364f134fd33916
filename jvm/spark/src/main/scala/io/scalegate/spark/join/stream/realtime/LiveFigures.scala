package io.scalegate.spark.join.stream.realtime

import java.util.WeakHashMap

import org.apache.spark.SparkContext
import org.apache.spark.scheduler.{
  AccumulableInfo,
  SparkListener,
  SparkListenerExecutorMetricsUpdate,
  SparkListenerTaskEnd
}

import io.scalegate.spark.settings.BoundedMap

/** What joins in Real-Time Mode last told of themselves, while they run and after, on the driver: of the
  * [[LiveFigures.MostRuns]] runs of queries that told last, or were asked of. Any thread.
  */
final class LiveFigures extends SparkListener {
  private[this] val runs =
    new BoundedMap[String, Map[Long, OperatorFigures]](LiveFigures.MostRuns)

  override def onExecutorMetricsUpdate(event: SparkListenerExecutorMetricsUpdate): Unit =
    event.accumUpdates.foreach { case (_, _, _, told) => told.foreach(see) }

  override def onTaskEnd(event: SparkListenerTaskEnd): Unit =
    event.taskInfo.accumulables.foreach(see)

  private[this] def see(told: AccumulableInfo): Unit = told.update match {
    case Some(figures: OperatorFigures) => see(figures)
    case _ =>
  }

  /** Takes note of a join, of which nothing need be told yet. */
  def see(figures: OperatorFigures): Unit = synchronized {
    val known = runs.getOrDefault(figures.run, Map.empty)
    val of = known.get(figures.operator).fold(figures)(_.and(figures))
    runs.put(figures.run, known.updated(figures.operator, of))
    ()
  }

  /** The joins of a run of a query, in the order of their numbers; None if it has none here. */
  def of(run: String): Option[Seq[OperatorFigures]] = synchronized {
    Option(runs.get(run)).map(_.toSeq.sortBy(_._1).map(_._2))
  }
}

object LiveFigures {
  private val MostRuns = 100

  private[this] val ofContexts = new WeakHashMap[SparkContext, LiveFigures]

  def of(context: SparkContext): LiveFigures = synchronized {
    ofContexts.computeIfAbsent(
      context,
      _ => {
        val figures = new LiveFigures
        context.addSparkListener(figures)
        figures
      }
    )
  }

  /** Something to which the tasks of an operator tell their figures. */
  def begin(
      context: SparkContext,
      run: String,
      operator: Long,
      name: String
  ): FiguresAccumulator = {
    val figures = new FiguresAccumulator(run, operator, name)
    context.register(figures, "scalegate.realTime")
    of(context).see(figures.value)
    figures
  }
}

package org.apache.spark.sql.scalegate.stream

import io.scalegate.spark.join.stream.realtime.{Latencies, OperatorFigures, TaskFigures}

/** What the progress of a query tells of an operator in Real-Time Mode beside what it tells in batches. */
private object RealTimeCounters {

  /** The counters and what they mean. */
  def names: Seq[(String, String)] = all.map(_._1)

  /** Gives those that are known once the tasks of a batch have ended. */
  def of(told: OperatorFigures)(see: (String, Long) => Unit): Unit = if (told.tasks.nonEmpty)
    for {
      ((name, _), of) <- all
      value <- of(told)
    } see(name, value)

  private[this] val all: Seq[((String, String), OperatorFigures => Option[Long])] =
    Seq(
      ("latency", "from reading a row to its results", (_: TaskFigures).latencies),
      ("eventLatency", "from a row's event time to its results", (_: TaskFigures).eventLatencies)
    ).flatMap { case (name, meaning, of) =>
      Seq("P50", "P90", "P99", "Max").zipWithIndex.map { case (rank, i) =>
        (s"$name${rank}Micros", s"$meaning in microseconds, $rank") ->
          ((told: OperatorFigures) => Latencies.percentiles(told.newest.map(of)).map(_(i)))
      }
    } ++ Seq(
      ("sources", "tasks that read its inputs") ->
        ((told: OperatorFigures) => Some(told.sources.toSeq.map(_.size.toLong).sum)),
      ("idleSources", "of these, those that it goes on without") ->
        ((told: OperatorFigures) => Some(told.sources.toSeq.flatten.count(_.isIdle).toLong)),
      (
        "sourceLagMaxMicros",
        "how far the slowest source is behind the farthest, in microseconds"
      ) ->
        ((told: OperatorFigures) => told.sources.toSeq.flatten.flatMap(told.lag).maxOption)
    )
}

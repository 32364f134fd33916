package org.apache.spark.sql.scalegate.ui

import org.apache.spark.sql.execution.ui.{
  SQLAppStatusStore,
  SQLExecutionUIData,
  SparkPlanGraph,
  SparkPlanGraphNode
}

/** A query that has operators of this package, as Spark's UI keeps it: one that runs or has run, or a batch of a stream.
  *
  * @param run
  *   the run of the stream whose batch it is
  * @param submitted
  *   milliseconds since the epoch
  * @param took
  *   milliseconds until now, for one that runs
  */
final private[ui] case class ShownQuery(
    id: Long,
    description: String,
    run: Option[String],
    status: String,
    submitted: Long,
    took: Long,
    operators: Seq[ShownOperator]
) {

  /** Whether it has ended, and the UI has its tasks' figures: these come a little later. */
  def isThrough: Boolean = status == "COMPLETED" && operators.exists(_.metrics.nonEmpty)
}

/** One of its operators.
  *
  * @param terms
  *   what EXPLAIN says of it, its parts
  * @param rowsIn
  *   what each of its inputs gave, as far as an operator below counts its rows
  * @param metrics
  *   names and values, in the words of Spark's page of the query
  */
final private[ui] case class ShownOperator(
    name: String,
    terms: Seq[String],
    rowsIn: Seq[String],
    metrics: Seq[(String, String)]
) {
  def rowsOut: Option[String] =
    metrics.collectFirst { case (ShownQuery.RowsOut, rows) => rows }

  /** The others that counted anything. */
  def work: Seq[(String, String)] =
    metrics.filterNot { case (name, value) =>
      name == ShownQuery.RowsOut || value.matches("0(\\.0)?( ms| B)?")
    }
}

private[ui] object ShownQuery {
  val RowsOut = "number of output rows"

  private[this] val Shuffled = "shuffle records written"

  /** Nodes that bring an operator its rows in another form or number: panes, packs, copies. */
  private[this] val Bringers =
    Set(
      "BroadcastExchange",
      "PartialPanes",
      "TimeSlice",
      "WindowJoinKeptRows",
      "WindowJoinPack",
      "WindowJoinProgress",
      "WindowJoinSlice",
      "WindowJoinSplit",
      "WindowPartials"
    )

  private[this] val Task = " \\(stage [^)]*\\)".r
  private[this] val ColumnId = "#\\d+L?".r

  private[this] val RunOfStream = "runId = ([0-9a-f-]+)".r.unanchored

  /** Those among the last `most` queries of all, the newest first. */
  def last(store: SQLAppStatusStore, most: Int, now: Long): Seq[ShownQuery] = {
    val all = store.executionsCount().toInt
    store.executionsList(math.max(0, all - most), most).reverse.flatMap { query =>
      val operators = of(store, query.executionId)
      Option.when(operators.nonEmpty)(shown(query, operators, now))
    }
  }

  private[this] def shown(
      query: SQLExecutionUIData,
      operators: Seq[ShownOperator],
      now: Long
  ): ShownQuery = {
    val description = Option(query.description).getOrElse("")
    ShownQuery(
      query.executionId,
      description,
      RunOfStream.findFirstMatchIn(description).map(_.group(1)),
      query.executionStatus,
      query.submissionTime,
      query.completionTime.fold(now)(_.getTime) - query.submissionTime,
      operators
    )
  }

  private[this] def of(store: SQLAppStatusStore, id: Long): Seq[ShownOperator] = {
    val graph = store.planGraph(id)
    val own = graph.allNodes.filter(node => isOwn(node.name)).toSeq
    if (own.isEmpty) Nil
    else {
      val values = store.executionMetrics(id)
      own.map(operator(graph, _, values))
    }
  }

  /** How the names of joins and aggregates end, for a stream's and a broadcast one's begin otherwise. What else this
    * package puts into a plan only brings them their rows.
    */
  private[this] val Own =
    Seq("WindowJoin", "AsOfJoin", "IntervalAggregate", "CubeJoin", "PaneWindows", "DesignWindows")

  private[this] def isOwn(name: String): Boolean = {
    val plain = name.takeWhile(_ != '(')
    Own.exists(plain.endsWith)
  }

  private[this] def operator(
      graph: SparkPlanGraph,
      node: SparkPlanGraphNode,
      values: Map[Long, String]
  ) = ShownOperator(
    node.name,
    ColumnId.replaceAllIn(node.desc.stripPrefix(node.name).trim, "").split("; ").toSeq
      .filter(_.nonEmpty),
    graph.edges.filter(_.toId == node.id).map(_.fromId).flatMap(rowsGiven(graph, _, values)).toSeq,
    metricsOf(node, values)
  )

  /** In the order of their names. A value has the least, median and most of a task behind it where there were several.
    */
  private[this] def metricsOf(
      node: SparkPlanGraphNode,
      values: Map[Long, String]
  ): Seq[(String, String)] =
    for {
      metric <- node.metrics.toSeq.sortBy(_.name)
      value <- values.get(metric.accumulatorId)
    } yield metric.name -> Task.replaceAllIn(value.substring(value.indexOf('\n') + 1), "")

  /** The rows of the operator with this number, or of the next one below it that counts rows as they are: those that an
    * exchange has written where there is none.
    */
  private[this] def rowsGiven(
      graph: SparkPlanGraph,
      id: Long,
      values: Map[Long, String]
  ): Option[String] =
    graph.allNodes.find(_.id == id).flatMap { node =>
      val counted =
        if (Bringers(node.name)) Map.empty[String, String] else metricsOf(node, values).toMap
      def below = graph.edges.filter(_.toId == id).map(_.fromId) match {
        case Seq(input) => rowsGiven(graph, input, values)
        case _ => None
      }
      counted.get(RowsOut).orElse(below).orElse(counted.get(Shuffled))
    }
}

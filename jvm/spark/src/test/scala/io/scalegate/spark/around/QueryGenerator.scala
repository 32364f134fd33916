package io.scalegate.spark.around

import io.scalegate.spark.settings.ScaleGateConf

/** Draws queries: one or two operators of this package, and what may stand below, between and above them.
  *
  * @param tables
  *   the names of tables with the columns that all queries have
  */
final class QueryGenerator(draw: Draw, tables: Seq[String]) {
  import draw.{below => number, chance, oneOf}

  private[this] val own = new OwnQueries(draw)
  private[this] val around = new Surroundings(draw, tables)
  import around.{below, wrapped}

  def next(): Case = {
    val core = draw.weighted(60 -> 0, 4 -> 1, 36 -> 2) match {
      case 0 => own.join(below, below)
      case 1 => own.cube(below, below, below)
      case _ => own.windows(below)
    }
    val inner = wrapped(core, number(3))
    val whole =
      if (chance(12)) wrapped(own.join(inner, below), number(2))
      else if (chance(10)) wrapped(own.windows(inner), number(2))
      else inner
    Case(whole, taken(), settings())
  }

  private[this] def taken(): Taken = number(12) match {
    case 0 | 1 => Taken.Ordered(chance(50))
    case 2 | 3 => Taken.Some(draw.weighted(1 -> 0, 7 -> 1, 8 -> 5, 8 -> 40), oneOf(Taken.Hows))
    case 4 => Taken.Last(oneOf(Seq(1, 5)))
    case 5 => Taken.First(oneOf(Seq(1, 3, 20)))
    case 6 => Taken.Otherwise(oneOf(Taken.Ways))
    case _ => Taken.All
  }

  private[this] def settings(): Map[String, String] = {
    val all = Seq(
      "spark.sql.adaptive.enabled" -> Seq("true", "true", "false"),
      "spark.sql.codegen.wholeStage" -> Seq("false", "false", "false", "true"),
      "spark.sql.codegen.factoryMode" -> Seq(
        "NO_CODEGEN",
        "NO_CODEGEN",
        "NO_CODEGEN",
        "FALLBACK"
      ),
      "spark.sql.autoBroadcastJoinThreshold" -> Seq("-1", "600", "10MB"),
      "spark.sql.ansi.enabled" -> Seq("true", "false"),
      "spark.sql.session.timeZone" -> Seq("UTC", "America/New_York", "Asia/Kolkata"),
      "spark.sql.shuffle.partitions" -> Seq("1", "2", "5"),
      "spark.sql.columnVector.offheap.enabled" -> Seq("true", "false"),
      "spark.sql.inMemoryColumnarStorage.partitionPruning" -> Seq("true", "false"),
      "spark.sql.adaptive.coalescePartitions.enabled" -> Seq("true", "false"),
      "spark.sql.optimizer.propagateDistinctKeys.enabled" -> Seq("true", "false"),
      "spark.sql.exchange.reuse" -> Seq("true", "true", "false"),
      "spark.sql.join.preferSortMergeJoin" -> Seq("true", "false"),
      "spark.sql.sources.useV1SourceList" -> Seq("parquet", ""),
      "spark.sql.cbo.enabled" -> Seq("true", "false"),
      "spark.sql.constraintPropagation.enabled" -> Seq("true", "false"),
      ScaleGateConf.MinOverlap -> Seq("1", "2"),
      ScaleGateConf.SampleRows -> Seq("0", "10"),
      ScaleGateConf.JoinLayout -> Seq("auto", "1x1", "2x1", "2x3"),
      ScaleGateConf.CellThreads -> Seq("1", "3"),
      ScaleGateConf.JoinAlgorithm -> Seq("auto", "sweep", "index", "broadcast", "matrix")
    )
    // Drawn one list after the other, so that a seed's cases stay as they were when one is added.
    Seq(
      all,
      Seq(ScaleGateConf.SweepAbove -> Seq("0", "2")),
      Seq(ScaleGateConf.GroupKeyedJoins -> Seq("true")),
      Seq(ScaleGateConf.JoinAlgorithm -> Seq("scalejoin", "pim", "hp", "dp-join", "llhj")),
      Seq(ScaleGateConf.Design -> Seq(
        "mq",
        "mqlf(inputs=3)",
        "tumlsc(inputs=2, panes=true)",
        "tumlmc(threads=2, inputs=2)",
        "wiml(inputs=2)"
      ))
    )
      .flatMap(_.filter(_ => chance(35)).map { case (k, values) => k -> oneOf(values) }).toMap
  }
}

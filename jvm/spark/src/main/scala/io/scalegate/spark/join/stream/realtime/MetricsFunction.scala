package io.scalegate.spark.join.stream.realtime

import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.analysis.TableFunctionRegistry.TableFunctionBuilder
import org.apache.spark.sql.catalyst.expressions.ExpressionInfo
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.types.StructType

import io.scalegate.spark.settings.{Constant, Errors, FunctionText}
import io.scalegate.stream.Side

/** SQL's `stream_metrics(run_id[, per])`, a table: what the joins of a query in Real-Time Mode have told the driver, of
  * each join, each of its tasks, or each source of its inputs. It is looked up when the query is analyzed.
  */
object MetricsFunction {

  /** As a session registers it. */
  val description: (FunctionIdentifier, ExpressionInfo, TableFunctionBuilder) = (
    FunctionIdentifier(FunctionText.StreamMetrics.name),
    FunctionText.StreamMetrics.info(getClass),
    arguments =>
      arguments match {
        case Seq(Constant.Text(run)) => table(run, "operator")
        case Seq(Constant.Text(run), Constant.Text(per)) => table(run, per)
        case other => throw Errors.metricsArguments(other.map(_.sql))
      }
  )

  private[this] def table(run: String, per: String) = {
    val session = SparkSession.active
    val joins = LiveFigures.of(session.sparkContext).of(run).getOrElse(
      // One that has just begun has no plan yet.
      if (session.streams.active.exists(_.runId.toString == run)) Nil
      else throw Errors.noMetrics(run)
    )
    val (schema, rows) = per match {
      case "operator" => (OfOperators, joins.flatMap(ofOperator))
      case "task" => (OfTasks, joins.flatMap(ofTasks))
      case "source" => (OfSources, joins.flatMap(ofSources))
      case other => throw Errors.metricsPer(other)
    }
    LocalRelation.fromExternalRows(DataTypeUtils.toAttributes(schema), rows)
  }

  private[this] val Latency =
    "latency_p50_ms DOUBLE, latency_p90_ms DOUBLE, latency_p99_ms DOUBLE, latency_max_ms DOUBLE, " +
      "event_latency_p50_ms DOUBLE, event_latency_p90_ms DOUBLE, event_latency_p99_ms DOUBLE, event_latency_max_ms DOUBLE"

  private[this] val Counts =
    "left_rows BIGINT, right_rows BIGINT, late_rows BIGINT, results BIGINT, comparisons BIGINT, " +
      "state_rows BIGINT, state_bytes BIGINT"

  private[this] val OfOperators = StructType.fromDDL(
    s"operator BIGINT, name STRING, batch BIGINT, at TIMESTAMP, seconds DOUBLE, tasks INT, $Counts, " +
      s"rows_per_second DOUBLE, results_per_second DOUBLE, share_deviation DOUBLE, $Latency, reached TIMESTAMP"
  )

  private[this] def ofOperator(join: OperatorFigures): Option[Row] = {
    val tasks = join.newest
    Option.when(tasks.nonEmpty) {
      val (from, at) = (tasks.map(_.startedAt).min, tasks.map(_.at).max)
      val seconds = (at - from) / 1e6
      def perSecond(n: Long) = if (seconds > 0) n / seconds else null
      Row.fromSeq(
        Seq[Any](
          join.operator,
          join.name,
          tasks.head.batch,
          timestamp(at),
          seconds,
          tasks.size
        ) ++
          counts(tasks) ++
          Seq[Any](
            perSecond(tasks.map(rowsOf).sum),
            perSecond(tasks.map(_.results).sum),
            deviation(tasks)
          ) ++
          latencies(tasks) :+ timestamp(tasks.map(_.reached).min)
      )
    }
  }

  private[this] val OfTasks = StructType.fromDDL(
    s"operator BIGINT, batch BIGINT, at TIMESTAMP, task INT, $Counts, share DOUBLE, $Latency, reached TIMESTAMP"
  )

  private[this] def ofTasks(join: OperatorFigures): Seq[Row] = {
    val tasks = join.newest
    tasks.zip(shares(tasks)).map { case (task, share) =>
      Row.fromSeq(
        Seq[Any](join.operator, task.batch, timestamp(task.at), task.partition) ++
          counts(Seq(task)) ++ Seq[Any](share) ++ latencies(Seq(task)) :+ timestamp(task.reached)
      )
    }
  }

  private[this] val OfSources = StructType.fromDDL(
    "operator BIGINT, side STRING, source INT, rows BIGINT, promised TIMESTAMP, lag_ms DOUBLE, " +
      "silent_ms DOUBLE, idle BOOLEAN"
  )

  private[this] def ofSources(join: OperatorFigures): Seq[Row] =
    for {
      side <- Seq(Side.R, Side.S)
      source <- join.sources(side)
    } yield Row(
      join.operator,
      if (side eq Side.R) "left" else "right",
      source.source,
      source.rows,
      timestamp(source.promised),
      join.lag(source).map(millis).orNull,
      millis(source.silent),
      source.isIdle
    )

  private[this] def counts(tasks: Seq[TaskFigures]): Seq[Any] = Seq(
    tasks.map(_.rows.left).sum,
    tasks.map(_.rows.right).sum,
    tasks.map(_.late).sum,
    tasks.map(_.results).sum,
    tasks.map(_.comparisons).sum,
    tasks.map(_.stateRows).sum,
    tasks.map(_.stateBytes).sum
  )

  private[this] def rowsOf(task: TaskFigures): Long = task.rows.left + task.rows.right

  /** Of all comparisons, or rows where nothing was compared. */
  private[this] def shares(tasks: Seq[TaskFigures]): Seq[Double] = {
    val work =
      if (tasks.exists(_.comparisons > 0)) tasks.map(_.comparisons) else tasks.map(rowsOf)
    val all = work.sum.toDouble
    work.map(w => if (all > 0) w / all else 1.0 / tasks.size)
  }

  /** The standard deviation of the tasks' shares as a part of an even share. */
  private[this] def deviation(tasks: Seq[TaskFigures]): Double = {
    val n = tasks.size
    math.sqrt(shares(tasks).map(share => math.pow(share * n - 1, 2)).sum / n)
  }

  private[this] def latencies(tasks: Seq[TaskFigures]): Seq[Any] =
    Seq(tasks.map(_.latencies), tasks.map(_.eventLatencies)).flatMap { encoded =>
      Latencies.percentiles(encoded).fold(Seq.fill[Any](4)(null))(_.map(millis))
    }

  private[this] def millis(micros: Long): java.lang.Double = micros / 1e3

  /** NULL where nothing has come. */
  private[this] def timestamp(micros: Long) =
    if (micros == Long.MinValue) null else DateTimeUtils.toJavaTimestamp(micros)
}

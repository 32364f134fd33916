package io.scalegate.spark.settings

import org.apache.spark.sql.catalyst.expressions.ExpressionInfo

/** What `DESCRIBE FUNCTION EXTENDED` says of a function, and the page on SQL of the site, which reads it here.
  *
  * @param signature
  *   its arguments, as in `(value, time)`
  * @param result
  *   what it returns
  * @param arguments
  *   each with what it may be
  */
final case class FunctionText(
    name: String,
    signature: String,
    result: String,
    arguments: Seq[(String, String)]
) {

  /** As a session registers it, for an expression of this class, or made by this object. */
  def info(expression: Class[_]): ExpressionInfo = {
    val told = arguments.map { case (argument, what) => s"      * $argument - $what\n" }
    new ExpressionInfo(
      expression.getName.stripSuffix("$"),
      null, // of no database, as Spark's own
      name,
      s"_FUNC_$signature - $result",
      told.mkString("\n    Arguments:\n", "", "  "),
      "",
      "",
      "",
      "",
      "",
      ""
    )
  }
}

object FunctionText {
  val WithinRows: FunctionText = FunctionText(
    "within_rows",
    "(left_time, right_time, n[, threads] | [, left_key, right_key]...)",
    "True for a pair of rows of a join if the earlier one is among the last n rows of its side when the later one " +
      "comes, in the order of the times; with keys, among the last n that have the later one's keys. It is one of " +
      "the AND-ed conditions of a join.",
    Seq(
      "left_time, right_time" -> "the times, one of each side: timestamps, dates or integers, of one kind",
      "n" -> ("a constant whole number of at least 1, or an array of two: the last rows of the first time's side and " +
        "those of the second's, of which one may be 0"),
      "threads" -> ("a constant whole number from 1 to 1024: how many threads share the one task; " +
        "spark.scalegate.cellThreads unless given"),
      "left_key, right_key" -> "a key of each side by which rows are counted; as many pairs as there are keys"
    )
  )

  val AsOf: FunctionText = FunctionText(
    "asof",
    "(left_time, right_time[, direction[, tolerance[, allow_exact[, tie]...]]])",
    "True for a left row of a join and the right row that is nearest to it in time, of those that satisfy the join's " +
      "other conditions with it. It is one of the AND-ed conditions of an inner, left, semi or anti join.",
    Seq(
      times,
      "direction" -> ("a constant: 'backward', the last right row at or before the left one, unless given; 'forward', " +
        "the first at or after it; 'nearest', the nearer of these"),
      tolerance,
      allowExact,
      ties
    )
  )

  val Nearest: FunctionText = FunctionText(
    "nearest",
    "(left_time, right_time, k[, tolerance[, direction[, allow_exact[, tie]...]]])",
    "True for a left row of a join and each of the k right rows that are nearest to it in time, of those that satisfy " +
      "the join's other conditions with it. It is one of the AND-ed conditions of an inner, left, semi or anti join.",
    Seq(
      times,
      "k" -> "a constant whole number from 1 to 100000",
      tolerance,
      "direction" -> "a constant: 'nearest' unless given, 'backward' or 'forward'",
      allowExact,
      ties
    )
  )

  val Prevailing: FunctionText = FunctionText(
    "prevailing",
    "(left_time, right_time, lower[, upper])",
    "True for a row and the rows of a subquery whose times lie from lower to upper after its own, and for the last one " +
      "before these, unless one stands at lower. It is one of the AND-ed conditions of a lateral or scalar subquery " +
      "that aggregates its rows.",
    Seq(
      "left_time, right_time" -> ("the times, the first of the outer row: timestamps, dates, whole numbers or day-time " +
        "intervals, of one kind; a row in which it is NULL has no others"),
      "lower, upper" -> "constant intervals, or numbers; upper is 0 unless given"
    )
  )

  private def times: (String, String) =
    "left_time, right_time" -> ("the times, the first of the left side: timestamps, dates, numbers or day-time " +
      "intervals, of one kind; a row in which it is NULL matches nothing")

  private def tolerance: (String, String) =
    "tolerance" -> "a constant interval, or number, of at least zero: no right row farther away matches; NULL for none"

  private def allowExact: (String, String) =
    "allow_exact" -> "a constant, false if a right row of the left one's own time is not to match; true unless given"

  private def ties: (String, String) =
    "tie" -> ("terms over the right side that order its rows of equal times: backward takes the last, forward the " +
      "first; rows that are equal in these too are ordered by their other columns that are used")

  val FirstByTime: FunctionText = FunctionText(
    "first_by_time",
    "(value, time)",
    "The value of the row with the least time, whatever the order of the rows; of several at that time the smallest, " +
      "NULL before any other. NULL where no row has a time. An aggregate function.",
    byTime
  )

  val LastByTime: FunctionText = FunctionText(
    "last_by_time",
    "(value, time)",
    "The value of the row with the greatest time, whatever the order of the rows; of several at that time the " +
      "greatest, NULL after any other. NULL where no row has a time. An aggregate function.",
    byTime
  )

  val JoinState: FunctionText = FunctionText(
    "join_state",
    "(checkpoint, side[, operator])",
    "A table: the rows of one side that a streaming join keeps in a checkpoint, a copied row once for each partition " +
      "that has it.",
    Seq(
      "checkpoint" -> "a constant string: the folder that the query was given",
      "side" -> "'left' or 'right'",
      "operator" -> "a constant whole number: which of the query's stateful operators, 0 unless given"
    )
  )

  val StreamMetrics: FunctionText = FunctionText(
    "stream_metrics",
    "(run_id[, per])",
    "A table: what the joins of a query in Real-Time Mode last told of themselves, rows, results, comparisons, latencies " +
      "and how far their sources have come. Tasks tell it with each heartbeat of their executor.",
    Seq(
      "run_id" -> "a constant string: the query's runId",
      "per" -> ("'operator' unless given, a row for each join; 'task', for each of its tasks; 'source', for each task " +
        "that reads one of its inputs")
    )
  )

  private def byTime: Seq[(String, String)] = Seq(
    "value" -> "of any type that has an order; the result is of this type",
    "time" -> "likewise, as a rule a timestamp; rows in which it is NULL do not count"
  )
}

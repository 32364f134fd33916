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

  /** As a session registers it, for an expression of this class. */
  def info(expression: Class[_]): ExpressionInfo = {
    val told = arguments.map { case (argument, what) => s"      * $argument - $what\n" }
    new ExpressionInfo(
      expression.getName,
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
      "n" -> "a constant whole number of at least 1",
      "threads" -> ("a constant whole number from 1 to 1024: how many threads share the one task; " +
        "spark.scalegate.cellThreads unless given"),
      "left_key, right_key" -> "a key of each side by which rows are counted; as many pairs as there are keys"
    )
  )

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

  private def byTime: Seq[(String, String)] = Seq(
    "value" -> "of any type that has an order; the result is of this type",
    "time" -> "likewise, as a rule a timestamp; rows in which it is NULL do not count"
  )
}

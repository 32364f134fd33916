package io.scalegate.spark.join.stream.task

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}

/** An input of a streaming join, as it travels to the executors.
  *
  * @param bounded
  *   its bounded attributes, the event time among them
  * @param eventTime
  *   the column of the event time, in microseconds
  * @param decided
  *   whether its rows are given, or not, for having matched something
  * @param givesUnmatched
  *   whether its unmatched rows are given
  * @param ties
  *   over its columns: where rows have turns, the order of those of one time, before that of their columns
  * @param copies
  *   if its rows come in several copies
  */
final case class StreamInput(
    bounded: Seq[Expression],
    output: Seq[Attribute],
    eventTime: Int,
    decided: Boolean,
    givesUnmatched: Boolean,
    ties: Seq[Expression],
    copies: Option[Copies]
)

package io.scalegate.spark.join.stream.operator

import io.scalegate.spark.join.stream.task.{StreamMethod, StreamTask, StreamTerms}
import io.scalegate.spark.settings.NamedOperator

/** By one of the papers' operators, which was asked for by its name. */
final case class ByOperator(operator: NamedOperator) extends StreamMethod {
  def task(terms: StreamTerms): StreamTask = new OperatorStreamTask(terms, operator)
}

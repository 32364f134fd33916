package io.scalegate.spark.plan

/** An operator at rest that is planned as nodes some of which may lie below an exchange: a filter, or what copies rows to
  * cells. Adaptive execution then takes the exchange's rows for the operator's, so that a mark stands above it
  * ([[io.scalegate.spark.rules.MarkTwoSteps]]).
  */
trait InTwoSteps extends OwnNode

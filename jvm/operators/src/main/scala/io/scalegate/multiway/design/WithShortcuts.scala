package io.scalegate.multiway.design

import io.scalegate.multiway.{
  AggregateDesign,
  AggregateOptions,
  AggregateSpec,
  RunningAggregate,
  SequenceSpec
}

/** A design on a W-Hive, whose list of winsets is a skip list as in the paper (multiway aggregation, §5.6). */
final class WithShortcuts(design: AggregateDesign) extends AggregateDesign {
  def name: String = s"${design.name} with shortcuts"

  def open[K, S <: AnyRef, R](
      spec: AggregateSpec[K, S, R],
      inputs: Int,
      options: AggregateOptions
  ): RunningAggregate[K, R] = design.open(spec, inputs, options.copy(shortcuts = true))

  def openSequences[K, S <: AnyRef, R](
      spec: SequenceSpec[K, S, R],
      inputs: Int,
      options: AggregateOptions
  ): RunningAggregate[K, R] = design.openSequences(spec, inputs, options.copy(shortcuts = true))
}

package io.scalegate.spark.settings

import io.scalegate.multiway.AggregateDesign

/** A design as a hint or the setting asks for it. */
final case class NamedDesign(design: WindowDesign, options: OperatorOptions) {
  def strategy: AggregateDesign = design.strategy(options)

  def inputs: Int = options.getOrElse(OperatorOption.Inputs, 1)

  override def toString: String =
    if (options.said.isEmpty) design.name else s"${design.name}($options)"
}

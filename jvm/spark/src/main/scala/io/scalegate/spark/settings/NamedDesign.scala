package io.scalegate.spark.settings

import io.scalegate.multiway.AggregateDesign

/** A design as a hint or the setting asks for it. */
final case class NamedDesign(design: WindowDesign, options: OperatorOptions) {
  def strategy: AggregateDesign = design.strategy(options)

  def inputs: Int = options.getOrElse(OperatorOption.Inputs, 1)

  /** The threads that may call its function: the task's, those of the design, and one more that a design may hold in
    * reserve.
    */
  def callers: Int = options.threads + 2

  /** What EXPLAIN says. */
  def describe: String = s"design: ${design.title} ($this)"

  override def toString: String =
    if (options.said.isEmpty) design.name else s"${design.name}($options)"
}

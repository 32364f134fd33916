package io.scalegate.spark.settings

import io.scalegate.join.JoinStrategy

/** An operator of the papers as a hint or a setting asks for it. */
final case class NamedOperator(
    operator: JoinOperator,
    options: OperatorOptions = OperatorOptions.None
) extends Algorithm(operator.name) {

  /** With threads, where it has several and nothing was said of them. */
  def onThreads(unlessSaid: => Int): NamedOperator =
    if (operator.takes.contains(OperatorOption.Threads))
      copy(options = options.onThreads(unlessSaid))
    else this

  def threads: Int = options.threads

  /** Sources of each side, to which its rows are dealt. */
  def inputs: Int = options.getOrElse(OperatorOption.Inputs, 1)

  def strategy: JoinStrategy = operator.strategy(options)

  /** What EXPLAIN says of it, its threads among it. */
  def describe: String = {
    val on = if (threads == 1) "one thread" else s"$threads threads"
    val others = options.said.filterNot(_._1 == OperatorOption.Threads)
    val more = if (others.isEmpty) "" else s" (${OperatorOptions.text(others)})"
    s"${operator.title}$more on $on"
  }
}

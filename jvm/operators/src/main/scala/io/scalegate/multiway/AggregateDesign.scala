package io.scalegate.multiway

/** A way to run a multiway aggregate (multiway aggregation, §4): any number of inputs, each
  * sorted. Every design takes the same spec and gives the same results: each window with a tuple
  * once, in the order of starts, its keys in the spec's order, whatever the interleaving of the
  * inputs and the number of threads.
  *
  * What an order-sensitive function gives is that of the tuples in their total order. A function
  * that rounds gives the same in every run, to the last digit, and other last digits in `WiML`,
  * and on panes, which merge states, than in the rest.
  */
trait AggregateDesign {
  def name: String

  /** Starts an aggregate with that many inputs. The caller closes it.
    *
    * @throws java.lang.IllegalArgumentException
    *   if the design cannot run the function
    */
  def open[K, S <: AnyRef, R](
      spec: AggregateSpec[K, S, R],
      inputs: Int,
      options: AggregateOptions = AggregateOptions()
  ): RunningAggregate[K, R]

  /** Starts an aggregate over windows of tuples, or sessions: see [[SequenceSpec]] for what comes
    * and in which order. For designs that merge the inputs before they update.
    *
    * @throws java.lang.IllegalArgumentException
    *   if the design does not
    */
  def openSequences[K, S <: AnyRef, R](
      spec: SequenceSpec[K, S, R],
      inputs: Int,
      options: AggregateOptions = AggregateOptions()
  ): RunningAggregate[K, R]
}

package io.scalegate.multiway.design

import io.scalegate.multiway.sequence.SequenceResults
import io.scalegate.multiway.{
  AggregateDesign,
  AggregateOptions,
  AggregateSpec,
  InputQueue,
  OpenWindows,
  OrderedWindows,
  QueueMerge,
  RunningAggregate,
  SequenceSpec,
  SequentialAggregate,
  TupleMerge,
  WindowResults
}
import io.scalegate.stream.StreamTuple

/** A queue for each input; the consumer merges, updates and makes the results. What systems
  * without the shared objects do: for comparison.
  */
abstract private[design] class QueuedDesign extends AggregateDesign {

  /** The queue of an input. */
  protected def queue(input: Int, capacity: Int): InputQueue

  final def open[K, S <: AnyRef, R](
      spec: AggregateSpec[K, S, R],
      inputs: Int,
      options: AggregateOptions
  ): RunningAggregate[K, R] = opened(new OpenWindows(spec), inputs, options)

  final def openSequences[K, S <: AnyRef, R](
      spec: SequenceSpec[K, S, R],
      inputs: Int,
      options: AggregateOptions
  ): RunningAggregate[K, R] = opened(new SequenceResults(spec), inputs, options)

  private[this] def opened[K, R](
      windows: OrderedWindows[WindowResults[K, R]],
      inputs: Int,
      options: AggregateOptions
  ) = new QueuedAggregate(windows, inputs, queue(_, options.inputCapacity))
}

final private class QueuedAggregate[K, R](
    windows: OrderedWindows[WindowResults[K, R]],
    inputs: Int,
    queue: Int => InputQueue
) extends SequentialAggregate[K, R](windows, inputs) {
  private[this] val queues = Array.tabulate(inputs)(queue)
  protected val merge: TupleMerge = new QueueMerge(queues)

  protected def offer(t: StreamTuple, input: Int): Boolean = queues(input).offer(t)
  protected def promise(input: Int, ts: Long): Unit =
    queues(input).promise(ts)
  protected def end(input: Int): Unit = queues(input).close()
}

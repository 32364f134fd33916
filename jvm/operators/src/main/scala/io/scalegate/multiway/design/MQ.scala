package io.scalegate.multiway.design

import io.scalegate.multiway.sequence.SequenceResults
import io.scalegate.multiway.{
  AggregateDesign,
  AggregateOptions,
  AggregateSpec,
  InputQueue,
  LockedQueue,
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

/** Multi-Queue (multiway aggregation, §5.3): a queue under a lock for each input; the consumer
  * merges, updates and makes the results. What systems without the shared objects do: for
  * comparison.
  */
object MQ extends AggregateDesign {
  def name: String = "MQ"

  def open[K, S <: AnyRef, R](
      spec: AggregateSpec[K, S, R],
      inputs: Int,
      options: AggregateOptions
  ): RunningAggregate[K, R] =
    new QueuedAggregate(new OpenWindows(spec), inputs, new LockedQueue(_, options.inputCapacity))

  def openSequences[K, S <: AnyRef, R](
      spec: SequenceSpec[K, S, R],
      inputs: Int,
      options: AggregateOptions
  ): RunningAggregate[K, R] =
    new QueuedAggregate(
      new SequenceResults(spec),
      inputs,
      new LockedQueue(_, options.inputCapacity)
    )
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

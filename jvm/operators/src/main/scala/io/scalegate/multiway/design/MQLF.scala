package io.scalegate.multiway.design

import io.scalegate.multiway.sequence.SequenceResults
import io.scalegate.multiway.{
  AggregateDesign,
  AggregateOptions,
  AggregateSpec,
  LockFreeQueue,
  OpenWindows,
  RunningAggregate,
  SequenceSpec
}

/** MQ with lock-free queues (multiway aggregation, §7): for comparison. */
object MQLF extends AggregateDesign {
  def name: String = "MQLF"

  def open[K, S <: AnyRef, R](
      spec: AggregateSpec[K, S, R],
      inputs: Int,
      options: AggregateOptions
  ): RunningAggregate[K, R] =
    new QueuedAggregate(
      new OpenWindows(spec),
      inputs,
      new LockFreeQueue(_, options.inputCapacity)
    )

  def openSequences[K, S <: AnyRef, R](
      spec: SequenceSpec[K, S, R],
      inputs: Int,
      options: AggregateOptions
  ): RunningAggregate[K, R] =
    new QueuedAggregate(
      new SequenceResults(spec),
      inputs,
      new LockFreeQueue(_, options.inputCapacity)
    )
}

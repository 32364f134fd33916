package io.scalegate.aggregate

import io.scalegate.gate.TGate
import io.scalegate.stream.{EventOrder, StreamTuple}

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

/** Tuple Merged List, Single Consumer (multiway aggregation, §5.4): the inputs' threads merge by
  * a T-Gate, the consumer updates and makes the results.
  */
object TuMLSC extends AggregateDesign {
  def name: String = "TuMLSC"

  def open[K, S <: AnyRef, R](
      spec: AggregateSpec[K, S, R],
      inputs: Int,
      options: AggregateOptions
  ): RunningAggregate[K, R] = new GatedAggregate(new OpenWindows(spec), inputs, options)

  def openSequences[K, S <: AnyRef, R](
      spec: SequenceSpec[K, S, R],
      inputs: Int,
      options: AggregateOptions
  ): RunningAggregate[K, R] = new GatedAggregate(new SequenceResults(spec), inputs, options)
}

final private class GatedAggregate[K, R](
    windows: OrderedWindows[WindowResults[K, R]],
    inputs: Int,
    options: AggregateOptions
) extends SequentialAggregate[K, R](windows, inputs) {
  private[this] val gate =
    new TGate[StreamTuple](EventOrder.Tuples, inputs, 1, options.inputCapacity)
  protected val merge: TupleMerge = new GateMerge(gate.handle(0))

  protected def offer(t: StreamTuple, input: Int): Boolean = gate.insertTuple(t, input)
  protected def promise(input: Int, ts: Long): Unit =
    gate.advance(input, StreamTuple.punctuation(ts, input))
  protected def end(input: Int): Unit = gate.close(input)
}

/** Window Merged List (multiway aggregation, §5.7): the inputs' threads update the windows in a
  * W-Hive as their tuples come, unmerged; the consumer makes the results. For functions that are
  * not order-sensitive.
  */
object WiML extends AggregateDesign {
  def name: String = "WiML"

  def open[K, S <: AnyRef, R](
      spec: AggregateSpec[K, S, R],
      inputs: Int,
      options: AggregateOptions
  ): RunningAggregate[K, R] = {
    require(
      !spec.function.isOrderSensitive,
      s"WiML updates windows with tuples as they come from each input, and ${spec.function.name} " +
        "depends on their order over all inputs; use TuMLSC, TuMLMC or panes over them"
    )
    new HivedAggregate(KeyedWinsets(spec, inputs, isKeyOwned = false), inputs, options)
  }

  def openSequences[K, S <: AnyRef, R](
      spec: SequenceSpec[K, S, R],
      inputs: Int,
      options: AggregateOptions
  ): RunningAggregate[K, R] =
    throw new IllegalArgumentException(
      "WiML updates windows with tuples as they come from each input, and which window a tuple " +
        "falls into depends on its key's tuples of all inputs before it; use TuMLSC or TuMLMC"
    )
}

final private class HivedAggregate[K, S <: AnyRef, R, W <: AnyRef](
    winsets: KeyedWinsets[K, S, R, W],
    inputs: Int,
    options: AggregateOptions
) extends MultiwayAggregate[K, R](inputs) {
  private[this] val hive = winsets.hive(options.winsetCapacity)
  private[this] val order = Array.tabulate(inputs)(new InputOrder(_))

  protected def offer(t: StreamTuple, input: Int): Boolean = {
    order(input).check(t)
    guarded(hive.updateWindows(t, input)) && {
      order(input).delivered(t)
      true
    }
  }

  protected def promise(input: Int, ts: Long): Unit =
    if (order(input).promise(ts)) hive.advance(input, ts)

  protected def end(input: Int): Unit = {
    order(input).close()
    hive.close(input)
  }

  protected def take(): WindowResults[K, R] = winsets.taken(hive.getNextWinSet())

  protected def isExhausted: Boolean = hive.isDone
  protected def reached: Long = hive.frontier()
}

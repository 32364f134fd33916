package io.scalegate.multiway.design

import io.scalegate.multiway.winset.{KeyedWinsets, SharedWinsets}
import io.scalegate.multiway.{
  AggregateDesign,
  AggregateOptions,
  AggregateSpec,
  InputOrder,
  MultiwayAggregate,
  RunningAggregate,
  SequenceSpec,
  WindowResults
}
import io.scalegate.stream.StreamTuple

/** Window Merged List (multiway aggregation, §5.7): the inputs' threads update the windows in a
  * W-Hive as their tuples come, unmerged; the consumer makes the results. For functions that are
  * not order-sensitive.
  */
sealed abstract class WiML(val name: String) extends AggregateDesign {
  protected def winsets[K, S <: AnyRef, R](
      spec: AggregateSpec[K, S, R],
      inputs: Int
  ): KeyedWinsets[K, S, R, _ <: AnyRef]

  final def open[K, S <: AnyRef, R](
      spec: AggregateSpec[K, S, R],
      inputs: Int,
      options: AggregateOptions
  ): RunningAggregate[K, R] = {
    require(
      !spec.function.isOrderSensitive,
      s"WiML updates windows with tuples as they come from each input, and ${spec.function.name} " +
        "depends on their order over all inputs; use TuMLSC, TuMLMC or panes over them"
    )
    new HivedAggregate(winsets(spec, inputs), inputs, options)
  }

  final def openSequences[K, S <: AnyRef, R](
      spec: SequenceSpec[K, S, R],
      inputs: Int,
      options: AggregateOptions
  ): RunningAggregate[K, R] =
    throw new IllegalArgumentException(
      "WiML updates windows with tuples as they come from each input, and which window a tuple " +
        "falls into depends on its key's tuples of all inputs before it; use TuMLSC or TuMLMC"
    )
}

/** With a table for each lane of a winset, and blocks of windows that overlap. */
object WiML extends WiML("WiML") {

  /** With one table for each winset, which all threads add to, as in the paper (§5.2). A function
    * that rounds keeps its lanes, unless there is one input: its last digits must not depend on
    * which thread came first.
    */
  object Michael extends WiML("WiML(michael)") {
    protected def winsets[K, S <: AnyRef, R](
        spec: AggregateSpec[K, S, R],
        inputs: Int
    ): KeyedWinsets[K, S, R, _ <: AnyRef] =
      if (spec.function.isRounding && inputs > 1) WiML.winsets(spec, inputs)
      else new SharedWinsets(spec)
  }

  protected def winsets[K, S <: AnyRef, R](
      spec: AggregateSpec[K, S, R],
      inputs: Int
  ): KeyedWinsets[K, S, R, _ <: AnyRef] = KeyedWinsets(spec, inputs, isKeyOwned = false)
}

final private class HivedAggregate[K, S <: AnyRef, R, W <: AnyRef](
    winsets: KeyedWinsets[K, S, R, W],
    inputs: Int,
    options: AggregateOptions
) extends MultiwayAggregate[K, R](inputs) {
  private[this] val hive = winsets.hive(options, inputs)
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

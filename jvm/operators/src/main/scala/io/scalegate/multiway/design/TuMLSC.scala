package io.scalegate.multiway.design

import io.scalegate.gate.TGate
import io.scalegate.multiway.sequence.SequenceResults
import io.scalegate.multiway.{
  AggregateDesign,
  AggregateOptions,
  AggregateSpec,
  GateMerge,
  OpenWindows,
  OrderedWindows,
  RunningAggregate,
  SequenceSpec,
  SequentialAggregate,
  TupleMerge,
  WindowResults
}
import io.scalegate.stream.{EventOrder, StreamTuple}

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

package io.scalegate.join.baseline

import io.scalegate.gate.{GateSource, ScaleGate}
import io.scalegate.join.{JoinOptions, JoinResult, ResultOrder}
import io.scalegate.stream.StreamTuple

/** Where the threads of a join put their results, each its own in order, and the consumer takes
  * them in the order of all (`SG_out` of ScaleJoin's Algorithm 1).
  */
final private[baseline] class OrderedOutput(threads: Int, options: JoinOptions) {
  /*
   * The frontier. What is still to come from a lane has a later tuple after the last that it
   * promised; what waits in the gate is taken in order. So when a poll finds nothing ready,
   * everything before the lowest promise was taken, if that promise was read before the gate was:
   * the one that the previous such poll read.
   */
  private[this] val gate = new ScaleGate[JoinResult](ResultOrder, options.outputCapacity)
  val lanes: Vector[OutputLane] = Vector.fill(threads)(new OutputLane(gate.addSource()))
  private[this] val reader = gate.addReader()
  private[this] var promised = Long.MinValue
  private[this] var bound = Long.MinValue

  /** The consumer's, as all that follows. */
  def poll(): JoinResult = {
    val result = reader.getNextReadyTuple()
    if (result != null) bound = result.ts
    else {
      bound = math.max(bound, promised)
      promised = lanes.map(_.promisedTs).min
    }
    result
  }

  def isDone: Boolean = reader.isDone

  def frontier: Long = if (isDone) Long.MaxValue else bound
}

/** One thread's way to the output. That thread alone uses it. */
final private[baseline] class OutputLane(source: GateSource[JoinResult]) {

  /** The time of the last promise; written after the gate has it. */
  @volatile private[this] var ts = Long.MinValue

  /** Nothing is to come with a later tuple before it. Any thread. */
  def promisedTs: Long = ts

  /** False when the consumer is behind by the lane's capacity. */
  def tryEmit(result: JoinResult): Boolean = source.tryAdd(result)

  /** No result of `later`, or of a tuple before it, is to come. */
  def promise(later: StreamTuple): Unit = {
    source.advance(ResultOrder.punctuation(later))
    ts = later.ts
  }

  def close(): Unit = {
    source.close()
    ts = Long.MaxValue
  }
}

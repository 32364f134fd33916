package io.scalegate.matrix

import io.scalegate.band.AttributeType
import io.scalegate.gate.GateReader
import io.scalegate.join.JoinOptions
import io.scalegate.join.ordered.ReadyInput
import io.scalegate.stream.StreamTuple

/** One stream of a join as its workers see it.
  *
  * @param attributes
  *   the types of its tuples' attributes
  * @param windowValue
  *   a tuple's window value, given its number in the stream
  */
final private[matrix] case class StreamShape(
    attributes: IndexedSeq[AttributeType],
    windowValue: (StreamTuple, Long) => Long
)

/** What comes to the workers of a matrix join.
  *
  * @param streamOf
  *   a tuple's stream
  * @param capacity
  *   tuples that may be under way between the emitter and the slowest worker; a power of two
  */
final private[matrix] class MatrixInput private (
    val tuples: ReadyInput,
    val shapes: IndexedSeq[StreamShape],
    val streamOf: StreamTuple => Int,
    val capacity: Int
)

private[matrix] object MatrixInput {
  def apply(
      reader: GateReader[StreamTuple],
      shapes: IndexedSeq[StreamShape],
      streamOf: StreamTuple => Int,
      options: JoinOptions
  ): MatrixInput = {
    val capacity = Emitter.capacityFor(options.inputCapacity)
    new MatrixInput(new ReadyInput(reader), shapes, streamOf, capacity)
  }
}

package io.scalegate.bench.gate

import io.scalegate.gate.{GateReader, GateSource, ScaleGate, TGate}
import io.scalegate.stream.{EventOrder, StreamTuple}

/** What the benchmark needs of a gate. One source is used by one thread at a time, so is one
  * reader.
  */
trait GateUnderTest {

  /** Delivers the next tuple of its source; false when the source is full. */
  def tryAdd(t: StreamTuple): Boolean

  /** Promises that `source` delivers nothing at or before `t`. */
  def advance(source: Int, t: StreamTuple): Unit
  def close(source: Int): Unit

  /** The reader's next ready tuple or null. */
  def next(reader: Int): StreamTuple
}

object GateUnderTest {
  def apply(name: String, sources: Int, readers: Int, capacity: Int): GateUnderTest =
    name match {
      case "ScaleGate" => new ScaleGateUnderTest(sources, readers, capacity)
      case "TGate" => new TGateUnderTest(sources, readers, capacity)
      case "SkipListMap" => new SkipListMapGate(sources, readers, capacity)
    }
}

final class ScaleGateUnderTest(sources: Int, readers: Int, capacity: Int) extends GateUnderTest {
  private[this] val gate = new ScaleGate[StreamTuple](EventOrder.Tuples, capacity)
  private[this] val source: Array[GateSource[StreamTuple]] =
    Array.fill(sources)(gate.addSource())
  private[this] val reader: Array[GateReader[StreamTuple]] =
    Array.fill(readers)(gate.addReader())

  def tryAdd(t: StreamTuple): Boolean = source(t.source).tryAdd(t)
  def advance(s: Int, t: StreamTuple): Unit = source(s).advance(t)
  def close(s: Int): Unit = source(s).close()
  def next(r: Int): StreamTuple = reader(r).getNextReadyTuple()
}

final class TGateUnderTest(sources: Int, readers: Int, capacity: Int) extends GateUnderTest {
  private[this] val gate =
    new TGate[StreamTuple](EventOrder.Tuples, sources, readers, capacity)

  def tryAdd(t: StreamTuple): Boolean = gate.insertTuple(t, t.source)
  def advance(s: Int, t: StreamTuple): Unit = gate.advance(s, t)
  def close(s: Int): Unit = gate.close(s)
  def next(r: Int): StreamTuple = gate.getNextReadyTuple(r)
}

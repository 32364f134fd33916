package io.scalegate.gate

import io.scalegate.stream.{Side, StreamTuple}

/** What the contract suites ask of a gate: the roles of ScaleJoin §IV-A, with no implementation
  * named.
  */
trait GateFixture {
  trait SourceRole {
    def tryAdd(t: StreamTuple): Boolean
    def advance(punctuation: StreamTuple): Unit
    def close(): Unit
  }

  trait ReaderRole {

    /** The next ready tuple or null. */
    def next(): StreamTuple
    def isDone: Boolean
    def horizon(): Long

    /** Another reader, which starts where this one stands. */
    def fork(): ReaderRole
    def close(): Unit
  }

  trait GateRole {
    def addSource(): SourceRole
    def addReader(): ReaderRole
  }

  def newGate(capacity: Int): GateRole

  def tuple(ts: Long, source: Int, seq: Long = 0L): StreamTuple =
    new StreamTuple(ts, source, seq, Side.R, Array.emptyLongArray, s"row $ts/$source/$seq")

  def upTo(ts: Long, source: Int): StreamTuple = StreamTuple.punctuation(ts, source)

  /** Everything that is ready now. */
  def drain(reader: ReaderRole): Vector[StreamTuple] =
    Iterator.continually(reader.next()).takeWhile(_ != null).toVector

  def triple(t: StreamTuple): (Long, Int, Long) = (t.ts, t.source, t.seq)
}

/** A [[ScaleGate]] in the roles of the contract. */
trait ScaleGateFixture extends GateFixture {
  def newGate(capacity: Int): GateRole = new GateRole {
    private val gate = new ScaleGate[StreamTuple](io.scalegate.stream.EventOrder.Tuples, capacity)

    def addSource(): SourceRole = new SourceRole {
      private val source = gate.addSource()
      def tryAdd(t: StreamTuple): Boolean = gate.addTuple(t, source)
      def advance(punctuation: StreamTuple): Unit = source.advance(punctuation)
      def close(): Unit = source.close()
    }

    def addReader(): ReaderRole = new Reader(gate.addReader())

    private class Reader(reader: GateReader[StreamTuple]) extends ReaderRole {
      def next(): StreamTuple = gate.getNextReadyTuple(reader)
      def isDone: Boolean = reader.isDone
      def horizon(): Long = reader.horizon()
      def fork(): ReaderRole = new Reader(reader.fork())
      def close(): Unit = reader.close()
    }
  }
}

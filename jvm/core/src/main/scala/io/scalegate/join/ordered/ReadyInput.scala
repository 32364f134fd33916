package io.scalegate.join.ordered

import io.scalegate.gate.GateReader
import io.scalegate.stream.StreamTuple

/** What an input gate has for a thread of a join: ready tuples and, when there is none, heartbeats,
  * by which the sources' promises go through the join to its frontier. One thread at a time.
  */
final private[scalegate] class ReadyInput(reader: GateReader[StreamTuple]) {
  private[this] var told = Long.MinValue

  /** The next ready tuple; else [[StreamTuple.heartbeat]], if the sources have promised a later time
    * than those of all tuples and heartbeats before; else null, and after the end.
    */
  def next(): StreamTuple = {
    val t = tuple()
    if (t == null) heartbeat() else t
  }

  /** The next ready tuple, or null. */
  def tuple(): StreamTuple = {
    val t = reader.getNextReadyTuple()
    if (t != null) told = t.ts
    t
  }

  def isDone: Boolean = reader.isDone

  private[this] def heartbeat(): StreamTuple = {
    val time = reader.horizon()
    if (time <= told || reader.isDone) null
    else {
      told = time
      StreamTuple.heartbeat(time)
    }
  }
}

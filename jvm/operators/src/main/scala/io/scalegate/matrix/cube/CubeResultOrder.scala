package io.scalegate.matrix.cube

import io.scalegate.stream.{EventOrder, StreamTuple}

/** The total order of a three-way join's results: by the latest tuple, then the middle one, then
  * the earliest. None depends on who found the triple. A result of a latest tuple alone is a
  * punctuation: it sorts after every result of that tuple.
  */
object CubeResultOrder extends EventOrder[CubeResult] {

  /** The promise that no result of `latest`, or of a tuple before it, is to come. */
  def punctuation(latest: StreamTuple): CubeResult =
    new CubeResult(null, null, null, latest, null, null)

  def ts(t: CubeResult): Long = t.latest.ts

  def compareTies(a: CubeResult, b: CubeResult): Int = {
    val latest = EventOrder.Tuples.compareTies(a.latest, b.latest)
    if (latest != 0) latest
    else if (a.middle == null || b.middle == null)
      java.lang.Boolean.compare(a.middle == null, b.middle == null)
    else {
      val middle = EventOrder.Tuples.compare(a.middle, b.middle)
      if (middle != 0) middle else EventOrder.Tuples.compare(a.earliest, b.earliest)
    }
  }

  def key(t: CubeResult): CubeResult =
    if (t.middle == null) punctuation(StreamTuple.key(t.latest))
    else {
      val middle = StreamTuple.key(t.middle)
      val earliest = StreamTuple.key(t.earliest)
      new CubeResult(null, null, null, StreamTuple.key(t.latest), middle, earliest)
    }
}

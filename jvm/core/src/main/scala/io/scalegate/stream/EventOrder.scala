package io.scalegate.stream

/** A total order over the elements of a gate whose first component is a time.
  *
  * The time is asked for once per element, when it enters a gate; `compareTies` runs only for elements
  * of equal time. `compareTies` must be consistent and return 0 only for elements of the same key.
  */
trait EventOrder[T] {

  /** The element's time. */
  def ts(t: T): Long

  /** Orders two elements of the same time. */
  def compareTies(a: T, b: T): Int

  /** An element of the same place in the order that holds on to no payload. */
  def key(t: T): T

  final def compare(a: T, b: T): Int = {
    val c = java.lang.Long.compare(ts(a), ts(b))
    if (c != 0) c else compareTies(a, b)
  }
}

object EventOrder {

  /** `(ts, source, seq)`: the order of every operator's input. A punctuation sorts before the tuples
    * of its source and time, the one with the least number included.
    */
  object Tuples extends EventOrder[StreamTuple] {
    def ts(t: StreamTuple): Long = t.ts

    def compareTies(a: StreamTuple, b: StreamTuple): Int =
      if (a.source != b.source) Integer.compare(a.source, b.source)
      else if (a.seq != b.seq) java.lang.Long.compare(a.seq, b.seq)
      else java.lang.Boolean.compare(b.isPunctuation, a.isPunctuation)

    def key(t: StreamTuple): StreamTuple = StreamTuple.key(t)
  }
}

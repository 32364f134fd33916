package io.scalegate.bench.gate

import java.util.Iterator
import java.util.concurrent.ConcurrentSkipListMap
import java.util.concurrent.atomic.{AtomicBoolean, AtomicLong, AtomicReference}

import io.scalegate.stream.{EventOrder, Side, StreamTuple}

/** The gate one would build on `java.util.concurrent`: a concurrent sorted map, and beside it
  * what each source has promised. Same contract as ScaleGate: exact readiness, the total order,
  * every reader reads everything, a capacity per source, and what all have passed is removed.
  *
  * Made as good as its map allows: a reader takes the lowest promise once and then iterates over
  * all that is ready, so that the search in the map is paid per batch; a single reader removes
  * while it iterates from the front; counters stand on cache lines of their own.
  */
final class SkipListMapGate(sources: Int, readers: Int, capacity: Int) extends GateUnderTest {
  import SkipListMapGate._

  private[this] val map =
    new ConcurrentSkipListMap[StreamTuple, StreamTuple](EventOrder.Tuples.compare(_, _))
  private[this] val source = Array.fill(sources)(new Source)
  private[this] val reader = Array.fill(readers)(new Reader)
  private[this] val removing = new AtomicBoolean

  def tryAdd(t: StreamTuple): Boolean = {
    val s = source(t.source)
    hasRoom(s) && {
      map.put(t, t)
      s.added += 1
      s.promised.setRelease(t)
      true
    }
  }

  def advance(s: Int, t: StreamTuple): Unit = source(s).promised.setRelease(t)

  def close(s: Int): Unit = source(s).promised.setRelease(End)

  def next(r: Int): StreamTuple = {
    val self = reader(r)
    if (readers == 1) nextOfOne(self) else nextOfMany(self)
  }

  private[this] def nextOfOne(self: Reader): StreamTuple = {
    val first = map.firstEntry()
    if (first == null) null
    else if (isWithin(first.getKey, self.bound) || raise(self, first.getKey)) {
      val taken = map.pollFirstEntry().getKey // not `first`: a source may have put one before it
      source(taken.source).removed.setRelease(source(taken.source).removed.getPlain + 1)
      taken
    } else null
  }

  private[this] def nextOfMany(self: Reader): StreamTuple =
    if (self.batch.hasNext) {
      val t = self.batch.next()
      self.passed.setRelease(t)
      self.sinceRemoval += 1
      if (self.sinceRemoval >= RemovalBatch) remove(self)
      t
    } else if (renew(self)) nextOfMany(self)
    else null

  private[this] def renew(self: Reader): Boolean = {
    val last = self.passed.getPlain
    val before = self.bound
    self.bound = lowestPromise
    val grown = (self.bound ne before) && self.bound != null &&
      (last == null || EventOrder.Tuples.compare(last, self.bound) < 0)
    if (grown)
      self.batch =
        if (last == null) map.headMap(self.bound, true).values.iterator
        else map.subMap(last, false, self.bound, true).values.iterator
    grown && self.batch.hasNext || {
      if (self.sinceRemoval > 0) remove(self)
      false
    }
  }

  private[this] def raise(self: Reader, t: StreamTuple): Boolean = {
    self.bound = lowestPromise
    isWithin(t, self.bound)
  }

  private[this] def lowestPromise: StreamTuple = {
    var lowest = End
    var i = 0
    while (i < source.length) {
      val promised = source(i).promised.getAcquire
      if (promised == null) return null
      if (EventOrder.Tuples.compare(promised, lowest) < 0) lowest = promised
      i += 1
    }
    lowest
  }

  private[this] def isWithin(t: StreamTuple, bound: StreamTuple): Boolean =
    bound != null && EventOrder.Tuples.compare(t, bound) <= 0

  private[this] def hasRoom(s: Source): Boolean =
    s.added < s.limit || {
      s.limit = s.removed.getAcquire + capacity
      s.added < s.limit
    }

  /** Removes what every reader has passed, unless another reader is at it. */
  private[this] def remove(self: Reader): Unit =
    if (removing.compareAndSet(false, true)) {
      self.sinceRemoval = 0
      val slowest = slowestPassed
      if (slowest != null) {
        var first = map.firstEntry()
        while (first != null && EventOrder.Tuples.compare(first.getKey, slowest) <= 0) {
          map.pollFirstEntry()
          val s = source(first.getKey.source)
          s.removed.setRelease(s.removed.getPlain + 1)
          first = map.firstEntry()
        }
      }
      removing.set(false)
    }

  private[this] def slowestPassed: StreamTuple = {
    var slowest = End
    reader.foreach { r =>
      val passed = r.passed.getAcquire
      if (passed == null) slowest = null
      else if (slowest != null && EventOrder.Tuples.compare(passed, slowest) < 0) slowest = passed
    }
    slowest
  }
}

private object SkipListMapGate {
  val RemovalBatch = 64

  /** After every tuple: what a closed source has promised. */
  val End = new StreamTuple(
    Long.MaxValue,
    Int.MaxValue,
    Long.MaxValue,
    Side.R,
    Array.emptyLongArray,
    null
  )

  final class PaddedReference extends AtomicReference[StreamTuple] {
    var p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15: Long = 0L
  }

  final class PaddedLong extends AtomicLong {
    var p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15: Long = 0L
  }

  final class Source {
    val promised = new PaddedReference
    val removed = new PaddedLong
    var added, limit: Long = 0L
  }

  final class Reader {
    val passed = new PaddedReference
    var bound: StreamTuple = _
    var batch: Iterator[StreamTuple] = java.util.Collections.emptyIterator[StreamTuple]
    var sinceRemoval = 0
  }
}

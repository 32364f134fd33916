package io.scalegate.gate

import org.jetbrains.kotlinx.lincheck.annotations.{Operation, Validate}

import io.scalegate.stream.{EventOrder, Side, StreamTuple}

/* A gate's operations as Lincheck runs them: a model drives the gate, and a definition of the same
 * operations says what their results are. Those of one handle are never run in parallel.
 *
 * A horizon is a bound, made of frontiers that were read one after the other; so what is compared is
 * whether it holds: it must not fall, and nothing may be read that lies before it.
 */

/** The fixed parts of a gate: two sources, two readers. */
abstract class GateOperations {
  protected def deliver(t: StreamTuple): Unit
  protected def advance(source: Int, to: StreamTuple): Unit
  protected def close(source: Int): Unit

  /** The next tuple, and how many the reader has read. */
  protected def read(reader: Int): String
  protected def isDone(reader: Int): Boolean
  protected def isHorizonKept(reader: Int): Boolean

  private val next = Array(0L, 0L)
  private val open = Array(true, true)

  // Source 0 delivers 1, 2, 3, …; source 1 delivers 2, 4, 6, …: between, at and behind each
  // other's. What follows a punctuation has the least number.
  private def step(source: Int): Long = 1L + source

  private def deliverNext(source: Int): Boolean = open(source) && {
    next(source) += step(source)
    deliver(GateModels.tuple(next(source), source, Long.MinValue))
    true
  }

  private def skip(source: Int): Unit = if (open(source)) {
    next(source) += step(source)
    advance(source, StreamTuple.punctuation(next(source) + step(source), source))
  }

  private def shut(source: Int): Unit = {
    open(source) = false
    close(source)
  }

  @Operation(nonParallelGroup = "source0") def deliver0(): Boolean = deliverNext(0)
  @Operation(nonParallelGroup = "source0") def advance0(): Unit = skip(0)
  @Operation(nonParallelGroup = "source0", runOnce = true) def close0(): Unit = shut(0)
  @Operation(nonParallelGroup = "source1") def deliver1(): Boolean = deliverNext(1)
  @Operation(nonParallelGroup = "source1") def advance1(): Unit = skip(1)
  @Operation(nonParallelGroup = "source1", runOnce = true) def close1(): Unit = shut(1)
  @Operation(nonParallelGroup = "reader0") def read0(): String = read(0)
  @Operation(nonParallelGroup = "reader1") def read1(): String = read(1)
  @Operation(nonParallelGroup = "reader0") def isDone0(): Boolean = isDone(0)
  @Operation(nonParallelGroup = "reader1") def horizon1(): Boolean = isHorizonKept(1)
}

object GateModels {
  def tuple(ts: Long, source: Int, seq: Long = 0L): StreamTuple =
    new StreamTuple(ts, source, seq, Side.R, Array.emptyLongArray, "row")

  val Nothing = "none"

  def show(t: StreamTuple, position: Long): String =
    if (t == null) Nothing else s"${t.ts}/${t.source} as $position"
}

/** A reader that minds its horizon. Its steps are instrumented, so they are plain ones. */
final class MindfulReader(val reader: GateReader[StreamTuple]) {
  private var horizon = Long.MinValue

  def read(): String = GateModels.show(next(), reader.position)

  def isHorizonKept: Boolean = {
    val before = horizon
    horizon = reader.horizon()
    horizon >= before
  }

  /** Reads what is left when every source has closed. How many were read in all. */
  def readRest(): Long = {
    while (next() != null) {}
    if (!reader.isDone) throw new AssertionError("what is left was read, and it is not done")
    reader.position
  }

  private def next(): StreamTuple = {
    val t = reader.getNextReadyTuple()
    if (t != null && t.ts < horizon) throw new AssertionError(s"$t lies before $horizon")
    if (t != null && t.row == null) throw new AssertionError(s"$t was cleared")
    t
  }
}

class ScaleGateModel extends GateOperations {
  private val gate = new ScaleGate[StreamTuple](EventOrder.Tuples, 1000)
  private val sources = Array.fill(2)(gate.addSource())
  private val readers = Array.fill(2)(new MindfulReader(gate.addReader()))

  protected def deliver(t: StreamTuple): Unit =
    if (!gate.addTuple(t, sources(t.source))) throw new AssertionError("no room")
  protected def advance(source: Int, to: StreamTuple): Unit = sources(source).advance(to)
  protected def close(source: Int): Unit = sources(source).close()
  protected def read(reader: Int): String = readers(reader).read()
  protected def isDone(reader: Int): Boolean = readers(reader).reader.isDone
  protected def isHorizonKept(reader: Int): Boolean = readers(reader).isHorizonKept

  @Validate def everyReaderReadsToTheEnd(): Unit = {
    sources(0).close()
    sources(1).close()
    if (readers(0).readRest() != readers(1).readRest()) throw new AssertionError("lost")
  }
}

class TGateModel extends GateOperations {
  private val gate = new TGate[StreamTuple](EventOrder.Tuples, 2, 2, 1000)
  private val handles = Array.tabulate(2)(i => new MindfulReader(gate.handle(i)))

  protected def deliver(t: StreamTuple): Unit =
    if (!gate.insertTuple(t, t.source)) throw new AssertionError("no room")
  protected def advance(source: Int, to: StreamTuple): Unit = gate.advance(source, to)
  protected def close(source: Int): Unit = gate.close(source)
  protected def read(reader: Int): String = handles(reader).read()
  protected def isDone(reader: Int): Boolean = gate.isDone(reader)
  protected def isHorizonKept(reader: Int): Boolean = handles(reader).isHorizonKept

  @Validate def everyHandleReadsToTheEnd(): Unit = {
    gate.close(0)
    gate.close(1)
    if (handles(0).readRest() != handles(1).readRest()) throw new AssertionError("lost")
  }
}

/** The definition, literally. */
class GateDefinition extends GateOperations {
  private var delivered = Vector.empty[StreamTuple]
  private var frontiers = Map[Int, StreamTuple]()
  private var open = Set(0, 1)
  private val passed = Array(0, 0)

  protected def deliver(t: StreamTuple): Unit = {
    delivered = (delivered :+ t).sorted[StreamTuple](EventOrder.Tuples.compare(_, _))
    frontiers += t.source -> t
  }

  protected def advance(source: Int, to: StreamTuple): Unit = frontiers += source -> to
  protected def close(source: Int): Unit = open -= source

  protected def read(reader: Int): String = {
    val t = delivered.lift(passed(reader)).filter(isReady)
    if (t.isDefined) passed(reader) += 1
    GateModels.show(t.orNull, passed(reader).toLong)
  }

  protected def isDone(reader: Int): Boolean = open.isEmpty && passed(reader) == delivered.size
  protected def isHorizonKept(reader: Int): Boolean = true

  private def isReady(t: StreamTuple): Boolean =
    open.forall(frontiers.get(_).exists(EventOrder.Tuples.compare(t, _) <= 0))
}

/** Source 1 comes while source 0 delivers and two readers read. */
abstract class ComingSourceOperations {
  protected def deliver(t: StreamTuple): String
  protected def addSource1(): String
  protected def close(source: Int): Unit
  protected def read(reader: Int): String
  protected def isDone(reader: Int): Boolean

  private val next = Array(0L, 0L)
  private val open = Array(true, false)

  private def deliverNext(source: Int): String =
    if (open(source)) {
      next(source) += 1L + source
      deliver(GateModels.tuple(next(source), source))
    } else "closed"

  private def shut(source: Int): Unit = if (open(source)) {
    open(source) = false
    close(source)
  }

  @Operation(nonParallelGroup = "source0") def deliver0(): String = deliverNext(0)
  @Operation(nonParallelGroup = "source0", runOnce = true) def close0(): Unit = shut(0)
  @Operation(nonParallelGroup = "source1", runOnce = true) def add1(): String = {
    val added = addSource1()
    open(1) = added == "added"
    added
  }
  @Operation(nonParallelGroup = "source1") def deliver1(): String = deliverNext(1)
  @Operation(nonParallelGroup = "source1") def close1(): Unit = shut(1)
  @Operation(nonParallelGroup = "reader0") def read0(): String = read(0)
  @Operation(nonParallelGroup = "reader1") def read1(): String = read(1)
  @Operation(nonParallelGroup = "reader0") def isDone0(): Boolean = isDone(0)
}

class GateOfComingSources extends ComingSourceOperations {
  private val gate = new ScaleGate[StreamTuple](EventOrder.Tuples, 1000)
  private val sources = Array(gate.addSource(), null)
  private val readers = Array.fill(2)(new MindfulReader(gate.addReader()))

  protected def deliver(t: StreamTuple): String =
    try if (sources(t.source).tryAdd(t)) "taken" else "full"
    catch { case _: OutOfOrderException => "refused" }

  protected def addSource1(): String =
    try { sources(1) = gate.addSource(); "added" }
    catch { case _: IllegalStateException => "ended" }

  protected def close(source: Int): Unit = sources(source).close()

  protected def read(reader: Int): String = readers(reader).read()
  protected def isDone(reader: Int): Boolean = readers(reader).reader.isDone

  @Validate def everyReaderReadsToTheEnd(): Unit = {
    sources(0).close()
    if (sources(1) != null) sources(1).close()
    if (readers(0).readRest() != readers(1).readRest()) throw new AssertionError("lost")
  }
}

/** The definition. A source that comes starts at a point up to which readers may have read, which
  * is where the lowest frontier was at most: until it has delivered behind that, whether what lies
  * between is ready, and whether it may still deliver there, is left open. What was read it never
  * precedes.
  */
class ComingSources extends ComingSourceOperations {
  private var delivered = Vector.empty[StreamTuple]
  private var frontiers = Map[Int, StreamTuple]()
  private var open = Set(0)
  private var reach: StreamTuple = _ // the highest that the lowest frontier has been
  private val passed = Array(0, 0)
  private var isRefusing = false

  protected def deliver(t: StreamTuple): String =
    if (wasRead(t) || (isRefusing && isSilent && isReached(t))) "refused"
    else {
      delivered = (delivered :+ t).sorted[StreamTuple](EventOrder.Tuples.compare(_, _))
      frontiers += t.source -> t
      note()
      "taken"
    }

  protected def addSource1(): String =
    if (open.isEmpty) "ended"
    else {
      open += 1
      "added"
    }

  protected def close(source: Int): Unit = {
    open -= source
    note()
  }

  protected def read(reader: Int): String = {
    val t = delivered.lift(passed(reader)).filter(isReady)
    if (t.isDefined) passed(reader) += 1
    GateModels.show(t.orNull, passed(reader).toLong)
  }

  protected def isDone(reader: Int): Boolean = open.isEmpty && passed(reader) == delivered.size

  def read0_none(): String = missed(0)
  def read1_none(): String = missed(1)

  private def missed(reader: Int): String =
    if (isSilent || !delivered.lift(passed(reader)).exists(isReady)) "none" else "ready"

  def deliver1_refused(): String = {
    isRefusing = true
    val result = deliver1()
    isRefusing = false
    result
  }

  private def wasRead(t: StreamTuple): Boolean =
    delivered.lift(passed.max - 1).exists(EventOrder.Tuples.compare(_, t) > 0)

  private def isReached(t: StreamTuple): Boolean =
    reach != null && EventOrder.Tuples.compare(t, reach) <= 0

  private def isSilent: Boolean = open(1) && !frontiers.contains(1)

  private def isReady(t: StreamTuple): Boolean =
    open.forall { s =>
      if (s == 1 && isSilent) isReached(t)
      else frontiers.get(s).exists(EventOrder.Tuples.compare(t, _) <= 0)
    }

  private def note(): Unit = {
    val heard = if (isSilent) open - 1 else open
    val known = heard.toVector.map(frontiers.get)
    if (known.nonEmpty && known.forall(_.isDefined)) {
      val lowest = known.flatten.min[StreamTuple](EventOrder.Tuples.compare(_, _))
      if (reach == null || EventOrder.Tuples.compare(lowest, reach) > 0) reach = lowest
    }
  }
}

/** Readers come and go while a source delivers into a gate with room for two. */
abstract class ComingReaderOperations {

  /** Reader 0 is there from the start, 1 is added, 2 is forked from 0. */
  protected def deliver(t: StreamTuple): Boolean
  protected def closeSource(): Unit
  protected def add(reader: Int): Unit
  protected def read(reader: Int): String
  protected def close(reader: Int): Unit

  private var next = 1L
  private var isOpen = true
  private val present = Array(true, false, false)

  @Operation(nonParallelGroup = "source") def deliver(): String =
    if (!isOpen) "closed"
    else if (deliver(GateModels.tuple(next, 0))) {
      next += 1
      "taken"
    } else "full"

  @Operation(nonParallelGroup = "source", runOnce = true) def end(): Unit = {
    isOpen = false
    closeSource()
  }

  @Operation(nonParallelGroup = "reader0") def read0(): String = readNext(0)
  @Operation(nonParallelGroup = "reader0", blocking = true) def close0(): Unit = leave(0)
  @Operation(nonParallelGroup = "reader0", runOnce = true, blocking = true) def fork2(): Unit =
    if (present(0)) come(2)
  @Operation(nonParallelGroup = "reader0") def read2(): String = readNext(2)
  @Operation(nonParallelGroup = "reader1", runOnce = true, blocking = true) def add1(): Unit =
    come(1)
  @Operation(nonParallelGroup = "reader1") def read1(): String = readNext(1)
  @Operation(nonParallelGroup = "reader1", blocking = true) def close1(): Unit = leave(1)

  private def readNext(reader: Int): String = if (present(reader)) read(reader) else "absent"

  private def come(reader: Int): Unit = {
    present(reader) = true
    add(reader)
  }

  private def leave(reader: Int): Unit = if (present(reader)) {
    present(reader) = false
    close(reader)
  }
}

class GateOfComingReaders extends ComingReaderOperations {
  private val gate = new ScaleGate[StreamTuple](EventOrder.Tuples, 2)
  private val source = gate.addSource()
  private val readers = Array(new MindfulReader(gate.addReader()), null, null)

  protected def deliver(t: StreamTuple): Boolean = source.tryAdd(t)
  protected def closeSource(): Unit = source.close()
  protected def add(reader: Int): Unit = readers(reader) =
    new MindfulReader(if (reader == 2) readers(0).reader.fork() else gate.addReader())

  protected def read(reader: Int): String = {
    if (!readers(reader).isHorizonKept) throw new AssertionError("the horizon fell")
    val read = readers(reader).read()
    if (read == GateModels.Nothing && readers(reader).reader.isDone) "end" else read
  }

  protected def close(reader: Int): Unit = {
    readers(reader).reader.close()
    readers(reader) = null
  }

  @Validate def whoIsLeftReadsToTheEndAndCloses(): Unit = {
    source.close()
    var reader = 0
    while (reader < readers.length) {
      if (readers(reader) != null) {
        readers(reader).readRest()
        close(reader)
      }
      reader += 1
    }
    val last = new MindfulReader(gate.addReader())
    last.readRest()
    last.reader.close()
  }
}

/** The definition. That a tuple was passed may be counted late, so a source that has delivered as
  * many as the gate has room for may be told that it is full; more is never taken.
  */
class ComingReaders extends ComingReaderOperations {
  private var delivered = Vector.empty[StreamTuple]
  private var isEnded = false
  private var positions = Map(0 -> 0)
  private var start = 0 // where a reader starts

  protected def deliver(t: StreamTuple): Boolean = delivered.size - start < 2 && {
    delivered :+= t
    true
  }

  def deliver_full(): String = if (delivered.size >= 2) "full" else "taken"

  protected def closeSource(): Unit = isEnded = true
  protected def add(reader: Int): Unit =
    positions += reader -> (if (reader == 2) positions(0) else start)

  protected def read(reader: Int): String = {
    val t = delivered.lift(positions(reader))
    if (t.isDefined) moved(positions + (reader -> (positions(reader) + 1)))
    if (t.isEmpty && isEnded) "end" else GateModels.show(t.orNull, positions(reader).toLong)
  }

  protected def close(reader: Int): Unit = moved(positions - reader)

  private def moved(now: Map[Int, Int]): Unit = {
    positions = now
    if (now.nonEmpty) start = now.values.min
  }
}

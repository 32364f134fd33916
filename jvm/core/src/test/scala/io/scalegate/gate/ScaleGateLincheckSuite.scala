package io.scalegate.gate

import org.jetbrains.kotlinx.lincheck.annotations.Operation
import org.jetbrains.kotlinx.lincheck.strategy.managed.modelchecking.ModelCheckingOptions
import org.jetbrains.kotlinx.lincheck.strategy.stress.StressOptions
import org.jetbrains.kotlinx.lincheck.{LinChecker, Options}
import org.scalatest.funsuite.AnyFunSuite

import io.scalegate.stream.{EventOrder, Side, StreamTuple}

/** Linearizability of ScaleGate, and of the T-Gate over it, against a gate of thirty sequential
  * lines, over generated scenarios: stress runs them on real threads, model checking tries their
  * interleavings one by one.
  *
  * Refusals for want of room are no operation here: they depend on counts of what others
  * have passed, which may be late. A horizon is a bound, which [[TGateSuite]] has.
  */
class ScaleGateLincheckSuite extends AnyFunSuite {
  test("deliver, advance, close, read and isDone are linearizable under stress") {
    check(new StressOptions().iterations(15).invocationsPerIteration(800))
  }

  test("deliver, advance, close, read and isDone are linearizable in every interleaving tried") {
    check(new ModelCheckingOptions().iterations(8).invocationsPerIteration(60))
  }

  test("the same operations of a T-Gate are linearizable under stress") {
    check(new StressOptions().iterations(8).invocationsPerIteration(500), classOf[TGateModel])
  }

  test("the same operations of a T-Gate are linearizable in every interleaving tried") {
    check(
      new ModelCheckingOptions().iterations(4).invocationsPerIteration(60),
      classOf[TGateModel]
    )
  }

  private def check[O <: Options[O, _]](
      options: O,
      model: Class[_ <: GateModel] = classOf[ScaleGateModel]
  ): Unit =
    LinChecker.check(
      model,
      options
        .threads(3)
        .actorsBefore(2)
        .actorsPerThread(3)
        .actorsAfter(2)
        .sequentialSpecification(classOf[SequentialGateModel])
    )
}

/** The operations of a scenario. Those of one handle are never run in parallel. */
abstract class GateModel {
  protected def deliver(t: StreamTuple): Boolean
  protected def advance(source: Int, to: StreamTuple): Unit
  protected def close(source: Int): Unit
  protected def read(reader: Int): StreamTuple
  protected def isDone(reader: Int): Boolean

  private val next = Array(0L, 0L)
  private val open = Array(true, true)

  // Source 0 delivers 1, 2, 3, …; source 1 delivers 2, 4, 6, …: between, at and behind each
  // other's.
  private def step(source: Int): Long = 1L + source

  private def deliverNext(source: Int): Boolean = open(source) && {
    next(source) += step(source)
    deliver(new StreamTuple(next(source), source, 0L, Side.R, Array.emptyLongArray, null))
  }

  private def skip(source: Int): Unit = if (open(source)) {
    next(source) += step(source)
    advance(source, StreamTuple.punctuation(next(source) + 1, source))
  }

  private def shut(source: Int): Unit = {
    open(source) = false
    close(source)
  }

  private def readNext(reader: Int): String = {
    val t = read(reader)
    if (t == null) "none" else s"${t.ts}/${t.source}"
  }

  @Operation(nonParallelGroup = "source0") def deliver0(): Boolean = deliverNext(0)
  @Operation(nonParallelGroup = "source0") def advance0(): Unit = skip(0)
  @Operation(nonParallelGroup = "source0", runOnce = true) def close0(): Unit = shut(0)
  @Operation(nonParallelGroup = "source1") def deliver1(): Boolean = deliverNext(1)
  @Operation(nonParallelGroup = "source1") def advance1(): Unit = skip(1)
  @Operation(nonParallelGroup = "source1", runOnce = true) def close1(): Unit = shut(1)
  @Operation(nonParallelGroup = "reader0") def read0(): String = readNext(0)
  @Operation(nonParallelGroup = "reader1") def read1(): String = readNext(1)
  @Operation(nonParallelGroup = "reader0") def isDone0(): Boolean = isDone(0)
}

class ScaleGateModel extends GateModel {
  private val gate = new ScaleGate[StreamTuple](EventOrder.Tuples, 1000)
  private val sources = Array.fill(2)(gate.addSource())
  private val readers = Array.fill(2)(gate.addReader())

  protected def deliver(t: StreamTuple): Boolean = sources(t.source).tryAdd(t)
  protected def advance(source: Int, to: StreamTuple): Unit = sources(source).advance(to)
  protected def close(source: Int): Unit = sources(source).close()
  protected def read(reader: Int): StreamTuple = readers(reader).getNextReadyTuple()
  protected def isDone(reader: Int): Boolean = readers(reader).isDone
}

class TGateModel extends GateModel {
  private val gate = new TGate[StreamTuple](EventOrder.Tuples, 2, 2, 1000)

  protected def deliver(t: StreamTuple): Boolean = gate.insertTuple(t, t.source)
  protected def advance(source: Int, to: StreamTuple): Unit = gate.advance(source, to)
  protected def close(source: Int): Unit = gate.close(source)
  protected def read(reader: Int): StreamTuple = gate.getNextReadyTuple(reader)
  protected def isDone(reader: Int): Boolean = gate.isDone(reader)
}

/** The definition, literally. */
class SequentialGateModel extends GateModel {
  private var delivered = Vector.empty[StreamTuple]
  private var frontiers = Map[Int, StreamTuple]()
  private var open = Set(0, 1)
  private val passed = Array(0, 0)

  protected def deliver(t: StreamTuple): Boolean = {
    delivered = (delivered :+ t).sorted[StreamTuple](EventOrder.Tuples.compare(_, _))
    frontiers += t.source -> t
    true
  }

  protected def advance(source: Int, to: StreamTuple): Unit = frontiers += source -> to
  protected def close(source: Int): Unit = open -= source

  protected def read(reader: Int): StreamTuple =
    delivered.lift(passed(reader)).filter(isReady).fold[StreamTuple](null) { t =>
      passed(reader) += 1
      t
    }

  protected def isDone(reader: Int): Boolean = open.isEmpty && passed(reader) == delivered.size

  private def isReady(t: StreamTuple): Boolean =
    open.forall(frontiers.get(_).exists(EventOrder.Tuples.compare(t, _) <= 0))
}

package io.scalegate.gate

import org.jetbrains.kotlinx.lincheck.annotations.Operation
import org.jetbrains.kotlinx.lincheck.strategy.managed.modelchecking.ModelCheckingOptions
import org.jetbrains.kotlinx.lincheck.strategy.stress.StressOptions
import org.jetbrains.kotlinx.lincheck.{LinChecker, Options}
import org.scalatest.funsuite.AnyFunSuite

import io.scalegate.stream.SlidingWindows

/** Linearizability of WHive against its definition, over generated scenarios; a winset's
  * contents, written without synchronization by several threads, are part of a take's result.
  *
  * Refusals for want of room are no operation here, and [[WHive.frontier]] is none: a refusal may
  * come by a count that is late, and a frontier is a bound, made of promises that were read one
  * after the other. [[WHiveSuite]] has them.
  */
class WHiveLincheckSuite extends AnyFunSuite {
  test("update, advance, close, take and isDone are linearizable under stress") {
    check(new StressOptions().iterations(20).invocationsPerIteration(1000))
  }

  test("update, advance, close, take and isDone are linearizable in every interleaving tried") {
    check(new ModelCheckingOptions().iterations(12).invocationsPerIteration(300))
  }

  private def check[O <: Options[O, _]](options: O): Unit =
    LinChecker.check(
      classOf[WHiveModel],
      options
        .threads(3)
        .actorsBefore(2)
        .actorsPerThread(3)
        .actorsAfter(3)
        .sequentialSpecification(classOf[SequentialHiveModel])
    )
}

/** The operations of a scenario. Those of one thread of the hive are never run in parallel. */
abstract class HiveModel {
  protected def update(ts: Long, thread: Int): Unit
  protected def advance(thread: Int, ts: Long): Unit
  protected def close(thread: Int): Unit
  protected def take(): String
  protected def done(): Boolean

  private val now = Array(0L, 0L)
  private val open = Array(true, true)

  // Windows of size 3, every 2: both threads make the same winsets, or one the other's neighbour.
  private def step(thread: Int): Long = 1L + thread

  private def updateNext(thread: Int): Boolean = open(thread) && {
    now(thread) += step(thread)
    update(now(thread), thread)
    true
  }

  private def skip(thread: Int): Unit = if (open(thread)) {
    now(thread) += 2
    advance(thread, now(thread))
  }

  private def shut(thread: Int): Unit = {
    open(thread) = false
    close(thread)
  }

  @Operation(nonParallelGroup = "thread0") def update0(): Boolean = updateNext(0)
  @Operation(nonParallelGroup = "thread0") def advance0(): Unit = skip(0)
  @Operation(nonParallelGroup = "thread0", runOnce = true) def close0(): Unit = shut(0)
  @Operation(nonParallelGroup = "thread1") def update1(): Boolean = updateNext(1)
  @Operation(nonParallelGroup = "thread1") def advance1(): Unit = skip(1)
  @Operation(nonParallelGroup = "thread1", runOnce = true) def close1(): Unit = shut(1)
  @Operation(nonParallelGroup = "consumer") def next(): String = take()
  @Operation(nonParallelGroup = "consumer") def isDone(): Boolean = done()
}

class WHiveModel extends HiveModel {
  private val hive = ListedWinset.hive(SlidingWindows(3, 2), 2)

  protected def update(ts: Long, thread: Int): Unit =
    assert(hive.updateWindows(ts, thread), "a hive with room refuses a tuple")
  protected def advance(thread: Int, ts: Long): Unit = hive.advance(thread, ts)
  protected def close(thread: Int): Unit = hive.close(thread)
  protected def take(): String = String.valueOf(hive.getNextWinSet())
  protected def done(): Boolean = hive.isDone
}

class SequentialHiveModel extends HiveModel {
  private val definition = new HiveDefinition(SlidingWindows(3, 2), 2)

  protected def update(ts: Long, thread: Int): Unit = definition.update(ts, thread)
  protected def advance(thread: Int, ts: Long): Unit = definition.advance(thread, ts)
  protected def close(thread: Int): Unit = definition.close(thread)
  protected def take(): String = definition.take().fold("null")(_.toString)
  protected def done(): Boolean = definition.isDone
}

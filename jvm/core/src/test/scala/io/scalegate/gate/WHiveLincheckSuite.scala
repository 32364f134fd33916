package io.scalegate.gate

import org.jetbrains.kotlinx.lincheck.annotations.{Operation, Validate}

import io.scalegate.LincheckSuite
import io.scalegate.stream.SlidingWindows

/** WHive against its definition; a winset's contents, written without synchronization by several
  * threads, are part of a take's result. That every operation is lock-free is checked with them.
  */
class WHiveLincheckSuite extends LincheckSuite {
  for (
    (name, hive, definition) <- Seq[(String, Class[_], Class[_])](
      ("a hive", classOf[WHiveModel], classOf[DefinedHive]),
      ("a full hive", classOf[FullHiveModel], classOf[DefinedFullHive]),
      ("a hive with shortcuts", classOf[HiveWithShortcutsModel], classOf[DefinedHive])
    )
  ) {
    test(s"the operations of $name are linearizable under stress") {
      stress(hive, definition, scenarios = 8, runs = 200)
    }

    test(s"the operations of $name are linearizable and lock-free in every interleaving tried") {
      explore(hive, definition, scenarios = 6, runs = 50, isLockFree = true)
    }
  }
}

/** The operations of a scenario. Those of one thread of the hive are never run in parallel. A
  * frontier is a bound, made of promises that were read one after the other: it must not fall, and
  * no winset may be taken that ends before it.
  */
abstract class HiveOperations {
  protected def update(ts: Long, thread: Int): Boolean
  protected def advance(thread: Int, ts: Long): Unit
  protected def close(thread: Int): Unit
  protected def take(): String
  protected def done(): Boolean
  protected def isFrontierKept(): Boolean

  private val now = Array(0L, 0L)
  private val open = Array(true, true)

  // Windows of size 3, every 2: both threads make the same winsets, or one the other's neighbour.
  private def step(thread: Int): Long = 1L + thread

  private def updateNext(thread: Int): String =
    if (!open(thread)) "closed"
    else if (update(now(thread) + step(thread), thread)) {
      now(thread) += step(thread)
      "taken"
    } else "full"

  private def skip(thread: Int): Unit = if (open(thread)) {
    now(thread) += 2
    advance(thread, now(thread))
  }

  private def shut(thread: Int): Unit = {
    open(thread) = false
    close(thread)
  }

  @Operation(nonParallelGroup = "thread0") def update0(): String = updateNext(0)
  @Operation(nonParallelGroup = "thread0") def advance0(): Unit = skip(0)
  @Operation(nonParallelGroup = "thread0", runOnce = true) def close0(): Unit = shut(0)
  @Operation(nonParallelGroup = "thread1") def update1(): String = updateNext(1)
  @Operation(nonParallelGroup = "thread1") def advance1(): Unit = skip(1)
  @Operation(nonParallelGroup = "thread1", runOnce = true) def close1(): Unit = shut(1)
  @Operation(nonParallelGroup = "consumer") def next(): String = take()
  @Operation(nonParallelGroup = "consumer") def isDone(): Boolean = done()
  @Operation(nonParallelGroup = "consumer") def frontier(): Boolean = isFrontierKept()
}

abstract class DrivenHive(capacity: Int, shortcuts: Boolean = false) extends HiveOperations {
  private val windows = SlidingWindows(3, 2)
  private val hive = ListedWinset.hive(windows, 2, capacity, shortcuts)
  private var reached = Long.MinValue

  protected def update(ts: Long, thread: Int): Boolean = hive.updateWindows(ts, thread)
  protected def advance(thread: Int, ts: Long): Unit = hive.advance(thread, ts)
  protected def close(thread: Int): Unit = hive.close(thread)

  protected def take(): String = {
    val winset = hive.getNextWinSet()
    if (winset != null && windows.end(winset.start) < reached)
      throw new AssertionError(s"$winset ends before the frontier $reached")
    String.valueOf(winset)
  }

  protected def done(): Boolean = hive.isDone

  protected def isFrontierKept(): Boolean = {
    val before = reached
    reached = hive.frontier()
    reached >= before
  }

  @Validate def everyWinsetIsTaken(): Unit = {
    hive.close(0)
    hive.close(1)
    while (take() != "null") {}
    if (!hive.isDone || hive.held != 0) throw new AssertionError("lost")
  }
}

class WHiveModel extends DrivenHive(1000)

class FullHiveModel extends DrivenHive(1)

class HiveWithShortcutsModel extends DrivenHive(1000, shortcuts = true)

class DefinedHive extends HiveOperations {
  private val definition = new HiveDefinition(SlidingWindows(3, 2), 2)

  protected def update(ts: Long, thread: Int): Boolean = {
    definition.update(ts, thread)
    true
  }
  protected def advance(thread: Int, ts: Long): Unit = definition.advance(thread, ts)
  protected def close(thread: Int): Unit = definition.close(thread)
  protected def take(): String = definition.take().fold("null")(_.toString)
  protected def done(): Boolean = definition.isDone
  protected def isFrontierKept(): Boolean = true
}

/** A refusal may come by a count that is late, so once there was a winset it is left open. */
class DefinedFullHive extends DefinedHive {
  private var isMade = false

  override protected def update(ts: Long, thread: Int): Boolean = {
    isMade = true // every time lies in a window
    super.update(ts, thread)
  }

  def update0_full(): String = refusal
  def update1_full(): String = refusal

  private def refusal: String = if (isMade) "full" else "taken"
}

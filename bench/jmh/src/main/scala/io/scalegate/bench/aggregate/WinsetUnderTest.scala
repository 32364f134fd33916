package io.scalegate.bench.aggregate

import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicReference

import io.scalegate.multiway.function.{Counted, Functions, StateTable}
import io.scalegate.multiway.winset.{SharedTable, Winset}

/** A winset that counts. */
trait WinsetUnderTest {
  def add(key: AnyRef, input: Int): Unit

  /** The sum of all results; after all additions. */
  def total: Long
}

object WinsetUnderTest {
  val function = Functions.count

  def apply(name: String, inputs: Int, keys: Int): WinsetUnderTest = name match {
    case "ByProcessor" => new WinsetOfCore(2, keys)
    case "ByInput" => new WinsetOfCore(inputs, keys)
    case "Shared" => new SharedWinset(keys)
    case "Locked" => new WinsetInMap(keys)
    case "Michael" => new WinsetInLists(keys)
  }

  /** A state under a lock. */
  final class Cell {
    private[this] var state = function.create()
    def add(): Unit = synchronized { state = function.add(state, ()) }
    def result: Long = synchronized(function.result(state))
  }
}

/** A table for each lane. With two lanes the first thread's are the even inputs, the second's the
  * odd ones.
  */
final class WinsetOfCore(lanes: Int, keys: Int) extends WinsetUnderTest {
  private[this] val winset =
    new Winset[Any, Counted](0L, lanes, keys / lanes, WinsetUnderTest.function)

  def add(key: AnyRef, input: Int): Unit =
    winset.add(input % lanes, key, StateTable.hash(key), ())

  def total: Long = {
    var sum = 0L
    winset.states().foreach((_, state) => sum += WinsetUnderTest.function.result(state))
    sum
  }
}

/** One table that all threads share, and one state for each key. A thread takes a state out,
  * adds, and puts it back; one that finds none there begins another, and who finds another's
  * where it wants to put its own merges the two. Lock-free.
  */
final class SharedWinset(keys: Int) extends WinsetUnderTest {
  import WinsetUnderTest.function

  private[this] val cells = new ConcurrentHashMap[AnyRef, AtomicReference[Counted]](keys)

  def add(key: AnyRef, input: Int): Unit = {
    val cell = cells.get(key)
    if (cell != null) SharedWinset.add(cell)
    else SharedWinset.add(cells.computeIfAbsent(key, _ => new AtomicReference(function.create())))
  }

  def total: Long = {
    var sum = 0L
    cells.values.forEach(cell => sum += function.result(cell.getPlain))
    sum
  }
}

object SharedWinset {
  import WinsetUnderTest.function

  def add(cell: AtomicReference[Counted]): Unit = {
    val taken = cell.getAndSet(null)
    var mine = function.add(if (taken == null) function.create() else taken, ())
    while (!cell.compareAndSet(null, mine)) {
      val other = cell.getAndSet(null)
      if (other != null) mine = function.merge(other, mine)
    }
  }
}

final class WinsetInMap(keys: Int) extends WinsetUnderTest {
  private[this] val map = new ConcurrentHashMap[AnyRef, WinsetUnderTest.Cell](keys)

  def add(key: AnyRef, input: Int): Unit = {
    val cell = map.get(key)
    if (cell != null) cell.add()
    else map.computeIfAbsent(key, _ => new WinsetUnderTest.Cell).add()
  }

  def total: Long = {
    var sum = 0L
    map.values.forEach(cell => sum += cell.result)
    sum
  }
}

/** The operators' own table on Michael's lists, which all threads share. */
final class WinsetInLists(keys: Int) extends WinsetUnderTest {
  import WinsetUnderTest.function

  private[this] val table = new SharedTable[Any, Counted](0L, keys, function)

  def add(key: AnyRef, input: Int): Unit = table.add(key, StateTable.hash(key), ())

  def total: Long = {
    var sum = 0L
    table.foreach((_, state) => sum += function.result(state))
    sum
  }
}

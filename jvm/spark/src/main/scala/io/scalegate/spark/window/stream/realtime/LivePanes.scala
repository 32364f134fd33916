package io.scalegate.spark.window.stream.realtime

import java.util.{ArrayList, HashMap, LinkedHashSet, TreeMap}

import scala.jdk.CollectionConverters._

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.expressions.{Predicate, UnsafeRow}

import io.scalegate.panes.TwoStacks
import io.scalegate.spark.rows.WindowMemory
import io.scalegate.spark.settings.{Errors, WindowEmission}
import io.scalegate.spark.window.partial.{PanePartials, PaneResults}
import io.scalegate.spark.window.slide.{PaneWindowsTask, WindowRow}

/** The panes of a partition of an aggregate in Real-Time Mode, and the windows that they give. Panes are added in any order;
  * windows come when `reached`, the event time that all sources have passed, is at their end, in the order of their
  * ends, each once; or whenever some of their panes have changed. So it is with W-Hive's windows, of which each stands
  * in one place of the order of ends, until T-Gate's slowest input has passed it; here a place is that of a key, which
  * is moved from window to window, and a window merges its panes as it is given.
  *
  * {{{
  *   calendar   12:00:00 -> k1, k3     the start of the next window of a key, and the keys
  *              12:00:10 -> k2
  *   k1         12:00:00 | 12:00:10 | 12:00:20 | ...   panes; the oldest are in the key's window, two stacks of them
  * }}}
  *
  * One thread, the task's. It holds the panes in the task's memory, and does not spill them.
  *
  * @param emission
  *   when windows are given
  * @param before
  *   windows that end at or before it have been given or closed
  * @param gives
  *   whether windows are given; else another gives them, and panes are held until their last window has ended
  */
final private[realtime] class LivePanes(
    partition: Int,
    task: PaneWindowsTask,
    partials: PanePartials,
    emission: WindowEmission,
    before: Long,
    gives: Boolean = true
) {
  import task.by

  private[this] val byKey = new HashMap[UnsafeRow, KeyPanes]
  private[this] val calendar = new TreeMap[java.lang.Long, ArrayList[KeyPanes]]
  private[this] val changed = new LinkedHashSet[KeyPanes]
  private[this] val results = PaneResults(partition, task.functions, partials)
  private[this] val window = new WindowRow(task.keys, task.window)
  private[this] val memory = Option(TaskContext.get()).map(WindowMemory.ofTask)
  private[this] val wanted = task.having.map { condition =>
    val made = Predicate.create(condition, task.keys :+ task.window)
    made.initialize(partition)
    made
  }

  private[this] var passed, upcoming = before
  private[this] var (panes, bytes) = (0L, 0L)
  private[this] var late = 0L
  private[this] var mergesOfGone = 0L

  /** The event time that all sources have passed. */
  def reached: Long = passed

  /** Partial results that came too late for every window. */
  def dropped: Long = late

  def paneCount: Long = panes

  /** Of keys and panes. */
  def size: Long = bytes

  /** Merges of partial results so far. */
  def merges: Long =
    mergesOfGone + byKey.values.asScala.iterator.map(_.merges).sum + updates.merges

  def keys: Iterator[KeyPanes] = byKey.values.iterator.asScala

  def of(key: UnsafeRow): Option[KeyPanes] = Option(byKey.get(key))

  /** Whether every window of a pane was given or closed. */
  def isClosed(start: Long): Boolean = by.endOf(by.last(start)) <= passed

  /** Adds what has come of a pane. The partial result is this object's from now on, the key is not.
    *
    * @param isChange
    *   whether the state does not have it yet
    */
  def add(key: UnsafeRow, start: Long, partial: UnsafeRow, isChange: Boolean): Unit =
    if (isClosed(start)) { if (isChange) late += 1 }
    else {
      val known = byKey.get(key)
      val of = if (known eq null) begin(key) else known
      if (of.add(start, partial, isChange)) {
        panes += 1
        bytes += partial.getSizeInBytes
        reserve()
        enter(of, if (visitsEach) firstOpen(by.first(start)) else by.last(start))
      }
      if (isChange && (emission eq WindowEmission.Update)) {
        of.touched.add(start)
        changed.add(of)
      }
    }

  /** Whether a key is moved from window to window, and not to the last one of its oldest pane. */
  private[this] def visitsEach = gives && (emission eq WindowEmission.Final)

  private[this] def begin(key: UnsafeRow) = {
    val made = new KeyPanes(key.copy(), partials)
    byKey.put(made.key, made)
    bytes += made.key.getSizeInBytes
    made
  }

  /** A pane that is in a key's window is held twice. */
  private[this] def reserve(): Unit =
    if (!memory.forall(_.tryReserve(2 * panes, 2 * bytes)))
      throw Errors.panesTooLarge(panes.toInt, bytes)

  /** The first window that was not given, from a window on. */
  private[this] def firstOpen(start: Long): Long =
    if (by.endOf(start) > passed) start else by.next(by.last(passed - by.size))

  private[this] def enter(of: KeyPanes, start: Long): Unit = if (start < of.due) {
    of.due = start
    calendar.computeIfAbsent(start, _ => new ArrayList).add(of)
    ()
  }

  // What is given: windows that are through, or those that have changed.

  private[this] var place: ArrayList[KeyPanes] = _ // of the calendar, taken out of it
  private[this] var at = 0
  private[this] var start = 0L
  private[this] var giving: KeyPanes = _

  private[this] val updates = new TwoStacks(partials)
  private[this] var filled = 0 // of the panes of `giving`

  /** Takes note of how far the sources have come; the windows are given by [[advance]]. What has changed of windows that
    * end with that is given once more before they do.
    */
  def reach(time: Long): Unit = {
    upcoming = math.max(upcoming, time)
    if (emission eq WindowEmission.Final) passed = upcoming
  }

  /** The row of the window at which [[advance]] has stopped, valid until the next call. */
  def row: UnsafeRow = {
    val of = if (emission eq WindowEmission.Final) giving.window else updates
    results.row(window.row, of.older, of.newer)
  }

  /** The window at which [[advance]] has stopped: its key, its start and its partial result, which are the caller's. */
  def givenKey: UnsafeRow = giving.key
  def givenStart: Long = start
  def givenPartial: UnsafeRow = {
    val of = giving.window
    if (of.newer eq null) partials.changeable(of.older) else partials.merge(of.older, of.newer)
  }

  /** Goes on to the next window to be given; false when there are none for now. Nothing may be added before that. */
  def advance(): Boolean =
    if (!gives) {
      close()
      false
    } else
      emission match {
        case WindowEmission.Final => advanceFinal()
        case WindowEmission.Update => advanceUpdate()
      }

  private[this] def advanceFinal(): Boolean = {
    var found = false
    if (giving ne null) leave()
    while (!found && nextKey()) {
      evict(giving, start)
      giving.fill(start + by.size)
      found = !giving.window.isEmpty && isWanted(giving, start)
      if (!found) leave()
    }
    found
  }

  /** Stops at the next key of a window that is through. */
  private[this] def nextKey(): Boolean = {
    giving = null
    while ((giving eq null) && ((place ne null) && at < place.size || nextPlace())) {
      val next = place.get(at)
      at += 1
      if (next.due == start) giving = next // or it was moved to an earlier place meanwhile
    }
    giving ne null
  }

  private[this] def nextPlace(): Boolean = {
    val first = calendar.firstEntry
    val isDue = (first ne null) && by.endOf(first.getKey) <= passed
    place = null
    if (isDue) {
      calendar.remove(first.getKey)
      place = first.getValue
      start = first.getKey
      at = 0
    }
    isDue
  }

  /** Moves the key to its next window. */
  private[this] def leave(): Unit = {
    val next = by.next(start)
    evict(giving, next)
    giving.due = KeyPanes.Never
    if (giving.isEmpty) forget(giving)
    else enter(giving, math.max(next, by.first(giving.oldest)))
    giving = null
  }

  private[this] def forget(gone: KeyPanes): Unit = {
    mergesOfGone += gone.merges
    bytes -= gone.key.getSizeInBytes
    byKey.remove(gone.key)
    ()
  }

  private[this] def advanceUpdate(): Boolean = {
    var found = false
    if (giving ne null) start = by.next(start)
    while (!found && (inChanged() || nextChanged())) {
      updates.evictBefore(start)
      while (filled < giving.size && giving.start(filled) < start + by.size) {
        updates.push(giving.start(filled), partials.changeable(giving.state(filled)))
        filled += 1
      }
      val first = giving.touched.ceiling(start)
      found = (first ne null) && first < start + by.size && isWanted(giving, start)
      if (!found) start = by.next(start)
    }
    if (!found) {
      passed = upcoming
      close()
    }
    found
  }

  /** Whether a window of the key that is given has changed, from the one it stands at on. */
  private[this] def inChanged(): Boolean =
    (giving ne null) && !giving.touched.isEmpty && start <= by.last(giving.touched.last)

  private[this] def nextChanged(): Boolean = {
    if (giving ne null) giving.touched.clear()
    giving = null
    val all = changed.iterator
    while ((giving eq null) && all.hasNext) {
      val next = all.next()
      all.remove()
      if (!next.touched.isEmpty) giving = next
    }
    if (giving ne null) {
      start = firstOpen(by.first(giving.touched.first))
      filled = giving.before(start)
      updates.clear()
    }
    giving ne null
  }

  /** Lets go of the panes whose last window has ended, where keys do not visit each window. */
  private[this] def close(): Unit =
    while (nextKey()) {
      val next = by.next(start)
      evict(giving, next)
      giving.due = KeyPanes.Never
      if (giving.isEmpty) forget(giving) else enter(giving, by.last(giving.oldest))
      giving = null
    }

  private[this] def isWanted(of: KeyPanes, start: Long): Boolean = {
    window.begin(of.key)
    window.move(start, start + by.size)
    wanted.forall(_.eval(window.row))
  }

  private[this] def evict(of: KeyPanes, start: Long): Unit = {
    val held = of.size
    bytes -= of.evictBefore(start)
    panes -= held - of.size
  }
}

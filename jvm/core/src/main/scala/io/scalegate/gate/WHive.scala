package io.scalegate.gate

import java.util.concurrent.atomic.{AtomicLong, AtomicReference, AtomicReferenceArray}

import io.scalegate.stream.{SlidingWindows, WindowCursor}

/** The W-Hive of multiway aggregation (§4, §5.6): the open winsets of sliding windows, which any
  * number of threads update at once, and of which each is handed out, in the order of their
  * starts, as soon as no open thread can contribute to it any more. A winset is made by the first
  * tuple that falls into it: there are no empty ones.
  *
  * Each thread brings its tuples in the order of their times, ties in any order, and may
  * [[advance]] when it has none. [[updateWindows]], `advance` and [[close]] with a thread's
  * number are called by one thread at a time; everything else by the one consumer.
  *
  * Progress: `updateWindows` is lock-free if the winsets' own updates are (a retry means that
  * another thread made a winset); `advance` and `close` are wait-free, and so is the consumer.
  *
  * @param winsets
  *   makes winsets and updates them
  * @param threads
  *   how many threads update, numbered from 0
  * @param capacity
  *   how many winsets may wait to be taken before threads are told to wait, see [[updateWindows]]
  * @param shortcuts
  *   whether the list is a skip list, as in the paper
  */
final class WHive[T <: AnyRef, W <: AnyRef](
    windows: SlidingWindows,
    winsets: Winsets[T, W],
    threads: Int,
    capacity: Int,
    shortcuts: Boolean = false
) {
  /*
   * The list. One linked list of winsets, sorted by start; windows that nothing fell into are
   * not in it. A window of size 4 starts every 2:
   *
   *     head (taken)     [0, 4)       [2, 6)       [8, 12)
   *          o ----------> o ----------> o -----------> o
   *                        ^ thread 0    ^ thread 1            promised: 3, 5
   *
   * Update (Algorithm 5, from the paper's prose). A thread goes from its finger, the first winset
   * that it updated last, to the first window of its tuple, and from there to the others, which
   * follow. A winset that is missing is linked by compare-and-set between its neighbours; the
   * thread that loses the race looks again, and uses the other's winset if it is of the same
   * window. When all are updated, and not before, the thread publishes the tuple's time as its
   * promise.
   *
   * The tuples of a pane fall into the same windows, so a thread goes there with the first of
   * them, and its updater keeps the winsets for the others. It may: a thread's promise is then a
   * time in each of them, so none is complete. Before the thread promises a later time than the
   * first of them holds, its updater lets go of all.
   *
   * A thread's times never fall, so its finger only moves on and passes each winset once.
   *
   * Shortcuts, on request. The paper takes them over from its T-Gate: one winset in four is linked
   * on a second level too, one in sixteen on a third, and a thread that was silent while others
   * made winsets goes to its own in few steps (HiveFingers). They save steps to such a thread
   * alone, once, and cost a second kind of link for each winset, which is why there are none
   * unless asked for; `HiveCatchUpMain` measures both. A thread links what it has made on all levels
   * before it promises the tuple's time, so no winset is taken before. What lies before a node on
   * a level is found anew where the node before was taken: the head of the level, which is the
   * last taken node that is linked there.
   *
   * Take. A winset is complete when its last time lies before every open thread's promise. The
   * consumer reads the promises, then the head's link: whatever was linked before a promise was
   * published is found by who has read that promise. So what is first in the list then is first
   * for good: a tuple still to come belongs to later windows only. Nor does a thread still write
   * to it: a thread's updates precede its promise. The paper compares with the first window of
   * each thread's last tuple, which hands a winset out one tuple later; a promise is a time, so
   * that a thread that is silent can give one too.
   *
   * The taken winset's node becomes the head, emptied, and the link of the head before it is
   * severed: made to point at itself. Whoever stands there goes on from the new head, which lies
   * before anything that may still be updated, being complete. Without severing, the finger of a
   * thread that is silent would keep every node after it alive.
   *
   * Capacity. Threads that are ahead wait when too many winsets are held. The thread with the
   * lowest promise may not wait for the others, and the consumer has nothing to take until it
   * goes on; so it is let through, unless there is something to take. Hence some thread or the
   * consumer can always proceed, and more is held than the capacity only by about size / advance
   * winsets for each thread.
   *
   * Linearization. An update, an advance and a close take effect when the promise, or the end, is
   * stored: no one sees a winset before. A take that returns a winset takes effect when it reads
   * the last of the promises that make it complete; one that returns null at its first read of
   * the head's link: what was complete then would have been linked, and the first one, if there
   * was one, was held back by a promise that is still too low when it is read later.
   *
   * Checked. `WHiveLincheckSuite`: all of this, `isDone` and `frontier`, in a full hive too, against
   * the definition, and that each operation is lock-free. By jcstress:
   * the promise's store, and the take that reads it, in `HiveHandOver`; a winset's link in
   * `HiveWinsetRace`; the link that a take severs in `HiveSeveredFinger`; the same on levels of
   * shortcuts in `HiveShortcutRace` and `HiveSeveredShortcut`.
   *
   * Memory order.
   *   Node's link     plain before the node is linked; compare-and-set to insert; acquire to
   *                   follow; release to sever, after `head` was stored.
   *   Node.winset     plain. Written before the node is linked; set to null by the consumer when
   *                   the winset is complete: nobody else reads it any more.
   *   winset          what a thread writes is published by its promise (release), which the
   *                   consumer reads (acquire) before it takes; what threads tell each other of
   *                   it is the winset's. An updater is its thread's.
   *   promised        release by its thread, acquire by the consumer, and by threads for which
   *                   there is no room.
   *   closed          volatile, after the last promise.
   *   head            release by the consumer; acquire by threads. So are the levels' heads, and the
   *                   links of the levels as those of the list.
   *   made, taken     counts for the capacity; a late one costs a refusal or lets a winset more
   *                   in.
   */
  require(threads > 0, s"a hive needs at least one thread, not $threads")
  require(capacity > 0, s"a hive needs room for a winset, not $capacity")

  private[this] val first = new HiveNode[W](
    Long.MinValue,
    null.asInstanceOf[W],
    if (shortcuts) HiveNode.MaxHeight else 1
  )

  /** Of the levels of shortcuts, the first of which is not used; null where there are none. */
  private[this] val heads =
    if (shortcuts) new AtomicReferenceArray(Array.fill(HiveNode.MaxHeight)(first)) else null
  private[this] val all = Array.tabulate(threads) { i =>
    val fingers = if (shortcuts) new HiveFingers[W](heads) else null
    new HiveThread[T, W](winsets.updater(i), windows, fingers)
  }
  private[this] val head = new AtomicReference(first)
  private[this] val made = new AtomicLong
  private[this] val taken = new AtomicLong

  // The consumer's: what it has read of the promises.
  private[this] var lowest = Long.MinValue
  private[this] var laggard = 0
  private[this] var ended = false

  all.foreach(_.finger = first)

  /** Adds the tuple to every window that holds its time, and promises that nothing earlier comes
    * from this thread any more. False, and nothing was done, when `capacity` winsets are held and
    * others can go on: the consumer, if there is a winset to take, or else a thread that is
    * behind this one.
    */
  def updateWindows(tuple: T, thread: Int): Boolean = {
    val self = all(thread)
    val ts = winsets.ts(tuple)
    check(self, thread, ts)
    self.cursor.seek(ts)
    (self.isThere || enter(self)) && {
      if (self.cursor.count > 0) self.updater.update(tuple)
      self.setRelease(ts)
      true
    }
  }

  /** Promises that nothing before `ts` comes from the thread any more. Says nothing new, and does
    * nothing, when that is known. Never refused for want of room.
    */
  def advance(thread: Int, ts: Long): Unit = {
    val self = all(thread)
    if (self.closed) throw new IllegalStateException(s"thread $thread is closed")
    if (ts > self.getPlain) {
      if (self.isPast(ts)) self.leave()
      self.setRelease(ts)
    }
  }

  /** Nothing comes from the thread any more. A second call is void. */
  def close(thread: Int): Unit = {
    val self = all(thread)
    self.leave() // as before each promise: then the thread is through with its winsets
    self.finger = first
    self.closed = true
  }

  /** The next winset that nothing can change any more, in the order of starts; null while there
    * is none.
    */
  def getNextWinSet(): W = {
    val next = head.getPlain.getAcquire
    if (next != null && isComplete(windows.end(next.start)))
      take(head.getPlain.getAcquire) // the link again, after the promises
    else null.asInstanceOf[W]
  }

  /** No window that was not handed out yet ends before this time, but those without a tuple;
    * `Long.MaxValue` once all are out. It never falls.
    */
  def frontier(): Long = {
    readPromises()
    val next = head.getPlain.getAcquire
    val promised = if (ended) Long.MaxValue else lowest
    if (next == null) promised else math.min(promised, windows.end(next.start))
  }

  /** Whether every thread has closed and every winset was taken. */
  def isDone: Boolean = {
    if (!ended) readPromises()
    ended && head.getPlain.getAcquire == null
  }

  /** How many winsets were made and not taken. Any thread; a moment's truth. */
  def held: Long = made.get - taken.get

  private[gate] def lastTaken: HiveNode[W] = head.get

  private[this] def check(self: HiveThread[T, W], thread: Int, ts: Long): Unit = {
    if (self.closed) throw new IllegalStateException(s"thread $thread is closed")
    if (ts < self.getPlain) throw new OutOfOrderException(s"thread $thread", self.getPlain, ts)
  }

  /** Hands the winsets of the windows at the thread's cursor to its updater. False, and nothing
    * was done, when there is no room for them.
    */
  private[this] def enter(self: HiveThread[T, W]): Boolean =
    (self.cursor.count == 0 || hasRoom(self)) && {
      self.leave()
      if (self.cursor.count > 0) {
        self.depart()
        val from =
          if (shortcuts) self.fingers.before(self.cursor.first, self.finger) else self.finger
        self.finger = locate(self, from, self.cursor.first)
        self.updater.enter(self.finger.winset)
        var node = self.finger
        while (node.start != self.cursor.last) {
          node = locate(self, node, node.start + windows.advance)
          self.updater.enter(node.winset)
        }
      }
      self.arrive()
      true
    }

  /** The winset that starts at `start`, at `from` or behind it; a new one if there is none. */
  private[this] def locate(
      self: HiveThread[T, W],
      from: HiveNode[W],
      start: Long
  ): HiveNode[W] = {
    var before = if (from.isDead) head.getAcquire else from
    var found = if (before.start == start && before.winset != null) before else null
    var fresh: HiveNode[W] = null
    while (found == null) {
      val next = before.getAcquire
      if (next eq before) before = head.getAcquire // severed
      else if (next != null && next.start < start) before = next
      else if (next != null && next.start == start) found = next
      else {
        if (fresh == null) fresh = create(self, start)
        fresh.setPlain(next)
        if (before.compareAndSet(next, fresh)) {
          made.incrementAndGet()
          if (shortcuts) self.fingers.link(fresh)
          found = fresh
        }
      }
    }
    found
  }

  private[this] def create(self: HiveThread[T, W], start: Long) = {
    val winset = winsets.create(start)
    new HiveNode[W](start, winset, if (shortcuts) self.fingers.randomHeight() else 1)
  }

  /** Whether the thread's tuple makes no winsets, or may make them. */
  private[this] def hasRoom(self: HiveThread[T, W]): Boolean =
    (self.hasLatest && self.cursor.last == self.latest) || held < capacity || isAwaited(self)

  /** Whether the consumer can take nothing before this thread goes on. */
  private[this] def isAwaited(self: HiveThread[T, W]): Boolean = {
    val promised = self.getPlain
    val next = head.getAcquire.getAcquire
    (next == null || windows.end(next.start) >= promised) &&
    all.forall(other => other.closed || other.getAcquire >= promised)
  }

  /** Whether no open thread can contribute to a window whose last time is `end`. */
  private[this] def isComplete(end: Long): Boolean =
    ended || end < lowest || {
      val slow = all(laggard)
      if (slow.closed || slow.getAcquire > end) readPromises()
      ended || end < lowest
    }

  private[this] def readPromises(): Unit = if (!ended) {
    var min = Long.MaxValue
    var open = false
    var i = 0
    while (i < threads) {
      if (!all(i).closed) {
        val promised = all(i).getAcquire
        if (!open || promised < min) {
          min = promised
          laggard = i
        }
        open = true
      }
      i += 1
    }
    if (open) lowest = min else ended = true
  }

  private[this] def take(node: HiveNode[W]): W = {
    val winset = node.winset
    val before = head.getPlain
    node.winset = null.asInstanceOf[W]
    head.setRelease(node)
    before.setRelease(before)
    if (shortcuts) takeFromLevels(node)
    taken.setRelease(taken.getPlain + 1)
    winset
  }

  /** The taken node becomes the head of the levels that it is linked on. */
  private[this] def takeFromLevels(node: HiveNode[W]): Unit = {
    var level = 1
    while (level < node.height) {
      val before = heads.getPlain(level)
      heads.setRelease(level, node)
      before.sever(level)
      level += 1
    }
  }
}

/** What one thread has promised, and where it stands.
  *
  * @param fingers
  *   on the levels of shortcuts; null where there are none
  */
final private[gate] class HiveThread[T, W <: AnyRef](
    val updater: WinsetUpdater[T, W],
    windows: SlidingWindows,
    val fingers: HiveFingers[W]
) extends AtomicLong(Long.MinValue) {
  val cursor = new WindowCursor(windows)
  @volatile var closed = false
  var finger: HiveNode[W] = _

  /** The start of the last window that this thread has updated. */
  var latest = 0L
  var hasLatest = false

  /** Of the windows up to `latest`, how many the updater is in, and the last time of the first; -1
    * while it is entering them, and after that has failed.
    */
  private[this] var entered = 0L
  private[this] var end = 0L

  /** Whether the updater is in the windows at the cursor. */
  def isThere: Boolean = entered > 0 && entered == cursor.count && latest == cursor.last

  /** Whether the updater is in a window that ends before the time. */
  def isPast(ts: Long): Boolean = entered > 0 && end < ts

  /** The updater is about to enter windows, and maybe not all. */
  def depart(): Unit = entered = -1

  /** The updater is in the windows at the cursor. */
  def arrive(): Unit = if (cursor.count > 0) {
    entered = cursor.count
    end = windows.end(cursor.first)
    latest = cursor.last
    hasLatest = true
  }

  def leave(): Unit = if (entered != 0) {
    entered = 0
    updater.leave()
  }
  var p01, p02, p03, p04, p05, p06, p07, p08, p09, p10, p11, p12, p13, p14, p15: Long = 0L
}

package io.scalegate.multiway.winset

import java.util.concurrent.atomic.AtomicBoolean

/** Who adds to which of a winset's tables. */
private[scalegate] trait Lanes {
  def count: Int

  /** A lane that no other thread is in until [[leave]]. */
  def enter(thread: Int): Int
  def leave(lane: Int): Unit
}

/** A lane for each of the hive's threads: where keys are one thread's, and where merging has to
  * be in order.
  */
final private[scalegate] class OwnLanes(threads: Int) extends Lanes {
  def count: Int = threads
  def enter(thread: Int): Int = thread
  def leave(lane: Int): Unit = ()
}

/** Lanes that threads take as they need them, for one tuple at a time. Lock-free. */
final private[scalegate] class SharedLanes(threads: Int) extends Lanes {
  /*
   * Between two extremes. A winset's states could be shared: then each update of each window
   * synchronizes with other threads, on a concurrent hash table and on the state. Or each thread
   * could have its own: then nothing is shared, but what each has of a key is merged in the end,
   * by one thread, and with many inputs that is nearly every update again.
   *
   * Here a thread takes a lane, by compare-and-set, for all windows of a tuple, and updates the
   * lane's tables as if it were alone, which it is. There are as many lanes as threads may ever
   * ask at once, so one is free for whoever asks: who finds one taken tries the next, and a
   * thread that is stopped in a lane stops nobody else. But threads start looking at one of as
   * many lanes as there are processors (a power of two, no more), so hardly more lanes than that
   * are ever used, however many threads there are: tables are merged for each processor, not for
   * each input.
   *
   * Memory order: a lane is left with release, after the tuple's updates, and entered with the
   * acquire of the compare-and-set: tables and states pass from thread to thread with the lane.
   * The hive's consumer reads them after the promise of each thread that has added, which comes
   * after the lane was left.
   */
  private[this] val taken = Array.fill(threads)(new WinsetLane)
  private[this] val mask =
    Integer.highestOneBit(math.min(threads, Runtime.getRuntime.availableProcessors)) - 1

  def count: Int = threads

  def enter(thread: Int): Int = {
    var lane = Thread.currentThread.getId.toInt & mask
    while (taken(lane).getPlain || !taken(lane).compareAndSet(false, true))
      lane = if (lane + 1 == threads) 0 else lane + 1
    lane
  }

  def leave(lane: Int): Unit = taken(lane).setRelease(false)
}

/** Whether a thread is in it. Padded: on a cache line of its own. */
final private[scalegate] class WinsetLane extends AtomicBoolean {
  var p01, p02, p03, p04, p05, p06, p07, p08, p09, p10, p11, p12, p13, p14, p15: Long = 0L
}

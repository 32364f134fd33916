package io.scalegate.stress.gate;

import io.scalegate.gate.WHive;
import io.scalegate.gate.WinsetUpdater;
import io.scalegate.gate.Winsets;
import io.scalegate.stream.SlidingWindows;
import java.util.ArrayList;
import java.util.List;

/**
 * A hive of two threads whose winsets are plain arrays, and what the stress tests of WHive do
 * with it. Results read as in "0:2|3": the window that starts at 0 has had the time 2 from thread
 * 0 and 3 from thread 1.
 */
abstract class HiveState {
  /** Each thread writes cells of its own, without synchronization: the hive has to publish them.
   */
  static final class Cells {
    final long start;
    final String[] times = {"", ""};

    Cells(long start) {
      this.start = start;
    }
  }

  final WHive<Long, Cells> hive;

  HiveState(long size, long advance) {
    this(size, advance, false);
  }

  HiveState(long size, long advance, boolean shortcuts) {
    Winsets<Long, Cells> winsets =
        new Winsets<Long, Cells>() {
          @Override
          public long ts(Long tuple) {
            return tuple;
          }

          @Override
          public Cells create(long start) {
            return new Cells(start);
          }

          @Override
          public WinsetUpdater<Long, Cells> updater(int thread) {
            return new Adder(thread);
          }
        };
    hive = new WHive<>(new SlidingWindows(size, advance), winsets, 2, 100, shortcuts);
  }

  private static final class Adder implements WinsetUpdater<Long, Cells> {
    private final int thread;
    private final List<Cells> entered = new ArrayList<>();

    Adder(int thread) {
      this.thread = thread;
    }

    @Override
    public void enter(Cells winset) {
      entered.add(winset);
    }

    @Override
    public void update(Long tuple) {
      for (Cells winset : entered) winset.times[thread] += tuple;
    }

    @Override
    public void leave() {
      entered.clear();
    }
  }

  /** What at most {@code attempts} calls return; what is not complete is left out. */
  String take(int attempts) {
    return take(attempts, false);
  }

  /** The same of the winsets that both threads have added to. */
  String takeShared(int attempts) {
    return take(attempts, true);
  }

  private String take(int attempts, boolean shared) {
    StringBuilder all = new StringBuilder();
    for (int i = 0; i < attempts; i++) {
      Cells taken = hive.getNextWinSet();
      if (taken != null && (!shared || (taken.times[0] + taken.times[1]).length() > longest(taken))) {
        if (all.length() > 0) all.append(' ');
        all.append(taken.start).append(':').append(taken.times[0]).append('|');
        all.append(taken.times[1]);
      }
    }
    return all.toString();
  }

  private static int longest(Cells taken) {
    return Math.max(taken.times[0].length(), taken.times[1].length());
  }
}

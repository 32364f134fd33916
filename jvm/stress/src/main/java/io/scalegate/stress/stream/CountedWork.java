package io.scalegate.stress.stream;

import io.scalegate.stream.Work;

/** A work that counts its steps, plainly: only the runner publishes what it has counted. */
class CountedWork extends Work {
  private final int steps;
  int taken;

  CountedWork(int steps) {
    super("stress-worker");
    this.steps = steps;
  }

  @Override
  public boolean step() {
    taken++;
    return true;
  }

  @Override
  public boolean isFinished() {
    return taken == steps;
  }
}

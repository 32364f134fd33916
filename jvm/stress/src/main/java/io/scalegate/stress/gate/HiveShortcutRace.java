package io.scalegate.stress.gate;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LL_Result;

/**
 * A thread that was silent goes by shortcuts to the winsets of another, which makes more of them
 * and links these on the same levels.
 */
@JCStressTest
@Outcome(
    id = "24, 14:14\\|14 18:18\\|18 22:22\\|22",
    expect = ACCEPTABLE,
    desc = "each of the two made a winset or used the other's")
@Outcome(expect = FORBIDDEN, desc = "an update or a winset was lost, doubled or misplaced")
@State
public class HiveShortcutRace extends HiveState {
  private static final int BEFORE = 16;
  private static final int ALL = 24;

  public HiveShortcutRace() {
    super(1, 1, true);
    for (long time = 0; time < BEFORE; time++) hive.updateWindows(time, 0);
  }

  @Actor
  public void thread0() {
    for (long time = BEFORE; time < ALL; time++) hive.updateWindows(time, 0);
  }

  @Actor
  public void thread1() {
    hive.updateWindows(14L, 1);
    hive.updateWindows(18L, 1);
    hive.updateWindows(22L, 1);
  }

  @Arbiter
  public void rest(LL_Result r) {
    r.r1 = hive.held();
    hive.close(0);
    hive.close(1);
    r.r2 = takeShared(ALL + 1);
  }
}

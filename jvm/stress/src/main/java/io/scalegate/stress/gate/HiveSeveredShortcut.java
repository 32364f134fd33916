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
 * A thread's fingers stand on levels of shortcuts whose winsets are taken and severed as it goes on
 * and makes others.
 */
@JCStressTest
@Outcome(
    id = "true, 31:31\\|31 47:47\\|47",
    expect = ACCEPTABLE,
    desc = "where a finger's winset was taken, the thread went on from the level's head")
@Outcome(expect = FORBIDDEN, desc = "an update went into a dead winset, or was misplaced")
@State
public class HiveSeveredShortcut extends HiveState {
  private static final int BEFORE = 32;

  public HiveSeveredShortcut() {
    super(1, 1, true);
    for (long time = 0; time < BEFORE; time++) hive.updateWindows(time, 0);
    hive.updateWindows(47L, 0);
    hive.updateWindows(8L, 1); // thread 1's fingers
    hive.advance(1, 31L);
  }

  @Actor
  public void thread1() {
    hive.updateWindows(31L, 1);
    hive.updateWindows(40L, 1);
    hive.updateWindows(47L, 1);
  }

  @Actor
  public void consumer() {
    take(BEFORE - 1);
  }

  @Arbiter
  public void rest(LL_Result r) {
    r.r1 = hive.held() <= BEFORE + 2;
    hive.close(0);
    hive.close(1);
    r.r2 = takeShared(BEFORE + 2);
  }
}

package io.scalegate.stress.gate;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LL_Result;

/** Two threads make the same winset and neighbouring ones, each where the other does. */
@JCStressTest
@Outcome(
    id = "5, -1:0\\| 0:0\\|1 1:2\\|1 2:2\\|3 3:\\|3",
    expect = ACCEPTABLE,
    desc = "who lost the race for a link used the other's winset, or looked further")
@Outcome(expect = FORBIDDEN, desc = "an update or a winset was lost, doubled or misplaced")
@State
public class HiveWinsetRace extends HiveState {
  public HiveWinsetRace() {
    super(2, 1);
  }

  @Actor
  public void thread0() {
    hive.updateWindows(0L, 0);
    hive.updateWindows(2L, 0);
  }

  @Actor
  public void thread1() {
    hive.updateWindows(1L, 1);
    hive.updateWindows(3L, 1);
  }

  @Arbiter
  public void rest(LL_Result r) {
    r.r1 = hive.held();
    hive.close(0);
    hive.close(1);
    r.r2 = take(8);
  }
}

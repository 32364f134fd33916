package io.scalegate.stress.gate;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LL_Result;

/** A thread's finger stands on a winset, or before one, that is taken and severed as it goes on.
 */
@JCStressTest
@Outcome(
    id = "0:0\\|0 1:\\|1, 2:\\|2 4:4\\| 5:\\|5",
    expect = ACCEPTABLE,
    desc = "taken before the thread went on: it started again at the head")
@Outcome(expect = FORBIDDEN, desc = "an update went into a dead winset, or was misplaced")
@State
public class HiveSeveredFinger extends HiveState {
  public HiveSeveredFinger() {
    super(1, 1);
    hive.updateWindows(0L, 0); // thread 0's finger
    hive.updateWindows(0L, 1);
    hive.updateWindows(1L, 1);
    hive.updateWindows(2L, 1);
    hive.updateWindows(5L, 1);
    hive.advance(0, 2L);
  }

  @Actor
  public void thread0() {
    hive.updateWindows(4L, 0);
  }

  @Actor
  public void consumer(LL_Result r) {
    r.r1 = take(2);
  }

  @Arbiter
  public void rest(LL_Result r) {
    hive.close(0);
    hive.close(1);
    r.r2 = take(5);
  }
}

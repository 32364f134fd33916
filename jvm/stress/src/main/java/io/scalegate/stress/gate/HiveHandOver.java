package io.scalegate.stress.gate;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LL_Result;

/** A winset is taken while the thread that it waits for makes its last updates. */
@JCStressTest
@Outcome(
    id = ", 0:01\\|1 3:3\\|3",
    expect = ACCEPTABLE,
    desc = "the consumer came before the promise")
@Outcome(
    id = "0:01\\|1, 3:3\\|3",
    expect = ACCEPTABLE,
    desc = "taken after the promise: with all that both had added")
@Outcome(expect = FORBIDDEN, desc = "handed out without an update, or lost")
@State
public class HiveHandOver extends HiveState {
  public HiveHandOver() {
    super(3, 3);
    hive.updateWindows(1L, 1);
    hive.updateWindows(3L, 1);
  }

  @Actor
  public void thread0() {
    hive.updateWindows(0L, 0);
    hive.updateWindows(1L, 0);
    hive.updateWindows(3L, 0);
  }

  @Actor
  public void consumer(LL_Result r) {
    r.r1 = take(1);
  }

  @Arbiter
  public void rest(LL_Result r) {
    hive.close(0);
    hive.close(1);
    r.r2 = take(4);
  }
}

package io.scalegate.stress.index;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LL_Result;

/** Two threads want to merge, with an insertion in between: one does, and none in halves. */
@JCStressTest
@Outcome(
    id = {"true, 1 2", "false, 1 2"},
    expect = ACCEPTABLE,
    desc = "the merges took turns, or one was refused")
@Outcome(expect = FORBIDDEN, desc = "two merges ran into each other")
@State
public class ConcurrentMerges extends IndexState {
  public ConcurrentMerges() {
    tree.add(LOW, 1);
  }

  @Actor
  public void first() {
    tree.tryMerge();
  }

  @Actor
  public void second(LL_Result r) {
    tree.add(LOW, 2);
    r.r1 = tree.tryMerge();
  }

  @Arbiter
  public void rest(LL_Result r) {
    r.r2 = searchAll();
  }
}

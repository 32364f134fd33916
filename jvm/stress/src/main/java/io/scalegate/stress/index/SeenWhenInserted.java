package io.scalegate.stress.index;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LL_Result;

/** A thread looks for what it has just inserted while another merges. */
@JCStressTest
@Outcome(
    id = "1 2, 1 2 3",
    expect = ACCEPTABLE,
    desc = "an insertion is seen from the moment that it returns")
@Outcome(expect = FORBIDDEN, desc = "the merge hid an insertion that had returned")
@State
public class SeenWhenInserted extends IndexState {
  public SeenWhenInserted() {
    tree.add(LOW, 1);
  }

  @Actor
  public void merge() {
    tree.tryMerge();
  }

  @Actor
  public void insertAndSearch(LL_Result r) {
    tree.add(LOW, 2);
    r.r1 = search(LOW, LOW);
    tree.add(HIGH, 3);
    r.r2 = searchAll();
  }
}

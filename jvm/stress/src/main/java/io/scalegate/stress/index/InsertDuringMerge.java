package io.scalegate.stress.index;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LL_Result;

/** Insertions of one key race with a merge: into the active tree, or on into the next generation. */
@JCStressTest
@Outcome(id = "1 2 3, 1 2 3", expect = ACCEPTABLE, desc = "each is found once, by any range")
@Outcome(expect = FORBIDDEN, desc = "an insertion was lost or doubled by the merge")
@State
public class InsertDuringMerge extends IndexState {
  public InsertDuringMerge() {
    tree.add(LOW, 1);
  }

  @Actor
  public void insert() {
    tree.add(LOW, 2);
    tree.add(LOW, 3);
  }

  @Actor
  public void merge() {
    tree.tryMerge();
  }

  @Arbiter
  public void rest(LL_Result r) {
    r.r1 = search(LOW, LOW);
    r.r2 = searchAll();
  }
}

package io.scalegate.stress.index;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LL_Result;

/** A search for all keys races with a merge that moves every tuple. */
@JCStressTest
@Outcome(id = "1 2 3, 1 2 3", expect = ACCEPTABLE, desc = "the merge changes nothing that is seen")
@Outcome(expect = FORBIDDEN, desc = "a tuple was seen in two places or on its way between them")
@State
public class SearchDuringMerge extends IndexState {
  public SearchDuringMerge() {
    tree.add(LOW, 1);
    tree.add(HIGH, 2);
    tree.tryMerge();
    tree.add(LOW, 3);
  }

  @Actor
  public void search(LL_Result r) {
    r.r1 = searchAll();
    r.r2 = searchAll();
  }

  @Actor
  public void merge() {
    tree.tryMerge();
    tree.tryMerge();
  }
}

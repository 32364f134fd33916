package io.scalegate.stress.index;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LL_Result;

/** One thread inserts around a merge, the other searches for the key. */
@JCStressTest
@Outcome(
    id = {"1, 1", "1, 1 2", "1, 1 2 3", "1 2, 1 2", "1 2, 1 2 3", "1 2 3, 1 2 3"},
    expect = ACCEPTABLE,
    desc = "insertions are seen in their order, and what was seen stays")
@Outcome(expect = FORBIDDEN, desc = "the switch hid a tuple or showed it twice")
@State
public class SwitchOfGenerations extends IndexState {
  public SwitchOfGenerations() {
    tree.add(HIGH, 1);
  }

  @Actor
  public void insert() {
    tree.add(HIGH, 2);
    tree.tryMerge();
    tree.add(HIGH, 3);
  }

  @Actor
  public void search(LL_Result r) {
    r.r1 = search(HIGH, HIGH);
    r.r2 = search(HIGH, HIGH);
  }
}

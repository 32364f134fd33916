package io.scalegate.stress.index;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LL_Result;

/** The window slides while a merge drops what has left it. */
@JCStressTest
@Outcome(
    id = {"1 2 3, 3", "3, 3"},
    expect = ACCEPTABLE,
    desc = "one bound decided on the search")
@Outcome(
    expect = FORBIDDEN,
    desc = "the search saw a part of what had expired, or the merge dropped what had not")
@State
public class ExpiryDuringMerge extends IndexState {
  public ExpiryDuringMerge() {
    tree.add(LOW, 1);
    tree.tryMerge();
    tree.add(LOW, 2);
    tree.add(HIGH, 3);
  }

  @Actor
  public void slideAndMerge() {
    tree.expireBefore(3);
    tree.tryMerge();
  }

  @Actor
  public void search(LL_Result r) {
    r.r1 = searchAll();
  }

  @Arbiter
  public void rest(LL_Result r) {
    r.r2 = searchAll();
  }
}

package io.scalegate.stress.indexjoin;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.L_Result;

/**
 * Windows slide and indexes merge under two threads that search them: nobody's tuples are let go of
 * while it may still find them.
 */
@JCStressTest
@Outcome(
    id = "2-1 3-2 4-1 4-3 5-2 5-4 6-3 6-5",
    expect = ACCEPTABLE,
    desc = "the pairs at most three apart, each once, in order")
@Outcome(expect = FORBIDDEN, desc = "a pair is missing, doubled, out of order or out of its window")
@State
public class ExpiryAndMerge extends IndexJoinState {
  public ExpiryAndMerge() {
    super(6, 3, 1);
  }

  @Actor
  public void one() {
    work(6);
  }

  @Actor
  public void other() {
    work(6);
  }

  @Arbiter
  public void rest(L_Result r) {
    finish();
    StringBuilder results = new StringBuilder();
    poll(results, 20);
    r.r1 = results.toString();
  }
}

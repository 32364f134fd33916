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
 * Two threads process tuples that match each other, of which one takes results as well: a tuple that
 * the other thread is indexing is found in the index or by the scan, and not by both. Two, because
 * tests of three threads are left out where there are two processors.
 */
@JCStressTest
@Outcome(id = "2-1 3-2 4-1 4-3", expect = ACCEPTABLE, desc = "each pair once, in order")
@Outcome(expect = FORBIDDEN, desc = "a pair is missing, doubled or out of order")
@State
public class TuplesUnderWay extends IndexJoinState {
  private final StringBuilder results = new StringBuilder();

  public TuplesUnderWay() {
    super(4, 100, 100_000);
  }

  @Actor
  public void one() {
    work(4);
  }

  @Actor
  public void other() {
    for (int i = 0; i < 4; i++) {
      work(1);
      poll(results, 1);
    }
  }

  @Arbiter
  public void rest(L_Result r) {
    finish();
    poll(results, 8);
    r.r1 = results.toString();
  }
}

package io.scalegate.stress.multiway;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.scalegate.multiway.function.Functions;
import io.scalegate.stream.StreamTuple;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LL_Result;

/**
 * The consumer takes a window's counts while an input adds keys, enough for tables and columns to
 * grow, and tuples that are passed over, the first ones; all of later windows.
 */
@JCStressTest
@Outcome(
    id = "-2:a1, -1:a1b0c1d1e1f1g1h1i1j1k1l1m1n1o1p1q1 0:a1b0c1d1e1f1g1h1i1j1k1l1m1n1o1p1q1"
        + " 1:a0b0c1d1e1f1g1h1i1j1k1l1m1n1o1p1q1",
    expect = ACCEPTABLE,
    desc = "the window as it was complete, and later ones with all that was added")
@Outcome(expect = FORBIDDEN, desc = "a count was lost, or is in the wrong window")
@State
public class CountsAdded {
  private final TwoInputs inputs =
      new TwoInputs(3, Functions.<StreamTuple>countIf(t -> t.attrs()[0] > 0));

  @Actor
  public void input1() {
    inputs.add(1, 1, "a", 0);
    inputs.add(1, 1, "b", 0);
    for (char key = 'c'; key <= 'q'; key++) inputs.add(1, 1, String.valueOf(key), 1);
  }

  @Actor
  public void consumer(LL_Result r) {
    r.r1 = inputs.next();
  }

  @Arbiter
  public void rest(LL_Result r) {
    r.r2 = inputs.rest();
  }
}

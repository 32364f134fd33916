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
 * The consumer takes a window of a function that has an inverse while an input adds keys, enough for
 * columns to grow, and additions to a key that the window has, all of later windows.
 */
@JCStressTest
@Outcome(
    id =
        "-4:a1, -3:a11b1c1d1e1f1g1h1i1j1k1l1m1n1o1p1q1 -2:a11b1c1d1e1f1g1h1i1j1k1l1m1n1o1p1q1"
            + " -1:a11b1c1d1e1f1g1h1i1j1k1l1m1n1o1p1q1 0:a11b1c1d1e1f1g1h1i1j1k1l1m1n1o1p1q1"
            + " 1:a10b1c1d1e1f1g1h1i1j1k1l1m1n1o1p1q1",
    expect = ACCEPTABLE,
    desc = "the window as it was complete, and later ones with all that was added")
@Outcome(expect = FORBIDDEN, desc = "a state was lost, or is in the wrong window")
@State
public class DifferencesAdded {
  private final TwoInputs inputs =
      new TwoInputs(5, Functions.<StreamTuple>sum(t -> t.attrs()[0]));

  @Actor
  public void input1() {
    inputs.add(1, 1, "a", 10);
    for (char key = 'b'; key <= 'q'; key++) inputs.add(1, 1, String.valueOf(key), 1);
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

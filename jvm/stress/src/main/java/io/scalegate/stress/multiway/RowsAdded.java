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
 * The consumer takes a window while an input adds keys, enough for tables to grow, and additions
 * to a key that the window has, all of later windows that share its tables.
 */
@JCStressTest
@Outcome(
    id = "-2:a1, -1:a11b1c1d1e1f1g1 0:a11b1c1d1e1f1g1 1:a10b1c1d1e1f1g1",
    expect = ACCEPTABLE,
    desc = "the window as it was complete, and later ones with all that was added")
@Outcome(expect = FORBIDDEN, desc = "a state was lost, or is in the wrong window")
@State
public class RowsAdded {
  private final TwoInputs inputs = new TwoInputs(3, Functions.<StreamTuple>sum(t -> t.attrs()[0]));

  @Actor
  public void input1() {
    inputs.add(1, 1, "a", 10);
    for (String key : new String[] {"b", "c", "d", "e", "f", "g"}) inputs.add(1, 1, key, 1);
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

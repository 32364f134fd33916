package io.scalegate.stress.multiway;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.scalegate.multiway.function.DifferenceColumns;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/**
 * The consumer takes a complete window's numbers while those of the next one become too large for
 * an int, of a key that has grown its column, too.
 */
@JCStressTest
@Outcome(
    id = "7, 6442450948",
    expect = ACCEPTABLE,
    desc = "the window as it was complete, and the next one with all that was added")
@Outcome(expect = FORBIDDEN, desc = "digits were lost, or are in the wrong window")
@State
public class CountsCarried {
  private static final int LATE_KEY = 20;

  private final DifferenceColumns columns = new DifferenceColumns(2);
  private final long[] sums = new long[LATE_KEY + 1];

  public CountsCarried() {
    columns.change(0, 0, 7);
  }

  @Actor
  public void input() {
    for (int i = 0; i < 3; i++) columns.change(0, 1, Integer.MAX_VALUE);
    for (int i = 0; i < 3; i++) columns.change(LATE_KEY, 1, Integer.MIN_VALUE);
  }

  @Actor
  public void consumer(JJ_Result r) {
    columns.moveTo(sums, 0, sums.length, null);
    r.r1 = sums[0] + sums[LATE_KEY];
  }

  @Arbiter
  public void rest(JJ_Result r) {
    columns.moveTo(sums, 1, sums.length, null);
    r.r2 = sums[LATE_KEY] == 3L * Integer.MIN_VALUE ? sums[0] : -1;
  }
}

package io.scalegate.stress.aggregate;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.scalegate.aggregate.AggregateOptions;
import io.scalegate.aggregate.AggregateSpec;
import io.scalegate.aggregate.Counted;
import io.scalegate.aggregate.Functions;
import io.scalegate.aggregate.RunningAggregate;
import io.scalegate.aggregate.WiML$;
import io.scalegate.stream.IdleStrategy;
import io.scalegate.stream.Side;
import io.scalegate.stream.SlidingWindows;
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
  private final RunningAggregate<String, Object> aggregate = open();

  public CountsAdded() {
    add(0, 0, "a", 1);
    aggregate.sources().apply(0).advance(1);
    aggregate.sources().apply(1).advance(1);
  }

  private static RunningAggregate<String, Object> open() {
    AggregateSpec<String, Counted, Object> spec =
        new AggregateSpec<>(
            new SlidingWindows(3, 1),
            t -> (String) t.row(),
            Functions.<StreamTuple>countIf(t -> t.attrs()[0] > 0),
            scala.Option.empty());
    return WiML$.MODULE$.open(spec, 2, new AggregateOptions(10, 10, IdleStrategy.Spin::new));
  }

  private void add(int input, long ts, String key, long value) {
    long seq = ts * 100 + key.charAt(0);
    aggregate
        .sources()
        .apply(input)
        .tryAdd(new StreamTuple(ts, input, seq, Side.R$.MODULE$, new long[] {value}, key));
  }

  @Actor
  public void input1() {
    add(1, 1, "a", 0);
    add(1, 1, "b", 0);
    for (char key = 'c'; key <= 'q'; key++) add(1, 1, String.valueOf(key), 1);
  }

  @Actor
  public void consumer(LL_Result r) {
    r.r1 = WindowText.next(aggregate);
  }

  @Arbiter
  public void rest(LL_Result r) {
    aggregate.sources().apply(0).close();
    aggregate.sources().apply(1).close();
    r.r2 =
        WindowText.next(aggregate)
            + " "
            + WindowText.next(aggregate)
            + " "
            + WindowText.next(aggregate);
  }
}

package io.scalegate.stress.aggregate;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.scalegate.aggregate.AggregateOptions;
import io.scalegate.aggregate.AggregateSpec;
import io.scalegate.aggregate.Functions;
import io.scalegate.aggregate.RunningAggregate;
import io.scalegate.aggregate.WiML$;
import io.scalegate.aggregate.WideSum;
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
  private final RunningAggregate<String, Object> aggregate = open();

  public RowsAdded() {
    add(0, 0, "a", 1);
    aggregate.sources().apply(0).advance(1);
    aggregate.sources().apply(1).advance(1);
  }

  private static RunningAggregate<String, Object> open() {
    AggregateSpec<String, WideSum, Object> spec =
        new AggregateSpec<>(
            new SlidingWindows(3, 1),
            t -> (String) t.row(),
            Functions.<StreamTuple>sum(t -> t.attrs()[0]),
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
    add(1, 1, "a", 10);
    for (String key : new String[] {"b", "c", "d", "e", "f", "g"}) add(1, 1, key, 1);
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

package io.scalegate.stress.multiway;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.scalegate.multiway.AggregateOptions;
import io.scalegate.multiway.AggregateSpec;
import io.scalegate.multiway.function.Functions;
import io.scalegate.multiway.RunningAggregate;
import io.scalegate.multiway.design.WiML$;
import io.scalegate.multiway.function.WideSum;
import io.scalegate.multiway.WindowResults;
import io.scalegate.stream.IdleStrategy;
import io.scalegate.stream.Side;
import io.scalegate.stream.SlidingWindows;
import io.scalegate.stream.StreamTuple;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.L_Result;

/**
 * Two inputs of WiML add to the same windows of the same key, each tuple in whichever lane is
 * free, while a third has been there before. Values are powers of ten: each digit of a sum counts
 * one tuple.
 */
@JCStressTest
@Outcome(
    id = "-1:10001 0:10111 1:1110 2:1000",
    expect = ACCEPTABLE,
    desc = "each tuple once, in one lane or another")
@Outcome(expect = FORBIDDEN, desc = "an addition was lost, made twice or torn")
@State
public class LaneHandOver {
  private static final String KEY = "key";

  private final RunningAggregate<String, Object> aggregate = open();

  public LaneHandOver() {
    add(2, 0, 10000);
    aggregate.sources().apply(2).close();
  }

  private static RunningAggregate<String, Object> open() {
    AggregateSpec<String, WideSum, Object> spec =
        new AggregateSpec<>(
            new SlidingWindows(2, 1),
            t -> KEY,
            Functions.<StreamTuple>sum(t -> t.attrs()[0]),
            scala.Option.empty());
    return WiML$.MODULE$.open(
        spec, 3, new AggregateOptions(10, 10, IdleStrategy.Spin::new, false));
  }

  private void add(int input, long ts, long value) {
    aggregate
        .sources()
        .apply(input)
        .tryAdd(new StreamTuple(ts, input, ts, Side.R$.MODULE$, new long[] {value}, null));
  }

  @Actor
  public void input0() {
    add(0, 0, 1);
    add(0, 1, 10);
  }

  @Actor
  public void input1() {
    add(1, 1, 100);
    add(1, 2, 1000);
  }

  @Arbiter
  public void rest(L_Result r) {
    aggregate.sources().apply(0).close();
    aggregate.sources().apply(1).close();
    StringBuilder all = new StringBuilder();
    WindowResults<String, Object> next = aggregate.poll();
    while (next != null) {
      all.append(next.start()).append(':').append(next.value(0)).append(' ');
      next = aggregate.poll();
    }
    r.r1 = all.toString().trim();
  }
}

package io.scalegate.stress.multiway;

import io.scalegate.multiway.function.AggregateFunction;
import io.scalegate.multiway.AggregateOptions;
import io.scalegate.multiway.AggregateSpec;
import io.scalegate.multiway.RunningAggregate;
import io.scalegate.multiway.design.WiML$;
import io.scalegate.multiway.WindowResults;
import io.scalegate.stream.IdleStrategy;
import io.scalegate.stream.Side;
import io.scalegate.stream.SlidingWindows;
import io.scalegate.stream.StreamTuple;
import java.util.Map;
import java.util.TreeMap;

/**
 * WiML over two inputs and windows of some times, one at each, as a text of its start and of each
 * key with its value. The first window, of one tuple, is complete, and no other.
 */
final class TwoInputs {
  private final RunningAggregate<String, Object> aggregate;
  private final int size;

  <S> TwoInputs(int size, AggregateFunction<StreamTuple, S, Object> function) {
    this.size = size;
    AggregateSpec<String, S, Object> spec =
        new AggregateSpec<>(
            new SlidingWindows(size, 1),
            t -> (String) t.row(),
            function,
            scala.Option.empty());
    aggregate =
        WiML$.MODULE$.open(spec, 2, new AggregateOptions(10, 10, IdleStrategy.Spin::new, false));
    add(0, 0, "a", 1);
    aggregate.sources().apply(0).advance(1);
    aggregate.sources().apply(1).advance(1);
  }

  void add(int input, long ts, String key, long value) {
    long seq = ts * 100 + key.charAt(0);
    aggregate
        .sources()
        .apply(input)
        .tryAdd(new StreamTuple(ts, input, seq, Side.R$.MODULE$, new long[] {value}, key));
  }

  /** The next window; empty if none is complete. */
  String next() {
    WindowResults<String, Object> next = aggregate.poll();
    if (next == null) return "";
    Map<String, Object> byKey = new TreeMap<>();
    for (int i = 0; i < next.size(); i++) byKey.put(next.key(i), next.value(i));
    StringBuilder all = new StringBuilder().append(next.start()).append(':');
    byKey.forEach((key, value) -> all.append(key).append(value));
    return all.toString();
  }

  /** The windows that are left when both inputs have ended, of tuples until time 1. */
  String rest() {
    aggregate.sources().apply(0).close();
    aggregate.sources().apply(1).close();
    StringBuilder all = new StringBuilder(next());
    for (int i = 1; i < size; i++) all.append(' ').append(next());
    return all.toString();
  }
}

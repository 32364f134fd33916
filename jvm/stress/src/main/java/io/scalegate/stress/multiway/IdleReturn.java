package io.scalegate.stress.multiway;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.scalegate.multiway.AggregateOptions;
import io.scalegate.multiway.AggregateSpec;
import io.scalegate.multiway.function.Functions;
import io.scalegate.multiway.IdleAwareAggregate;
import io.scalegate.multiway.IdleTimeout;
import io.scalegate.multiway.Idleness;
import io.scalegate.multiway.design.TuMLSC$;
import io.scalegate.multiway.function.WideSum;
import io.scalegate.multiway.WindowResults;
import io.scalegate.stream.IdleStrategy;
import io.scalegate.stream.Side;
import io.scalegate.stream.SlidingWindows;
import io.scalegate.stream.StreamTuple;
import java.util.concurrent.atomic.AtomicLong;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZIJ_Result;
import scala.runtime.BoxedUnit;

/**
 * A silent input delivers at the moment at which the consumer leaves it out. Its tuple counts 10 in
 * the sum, the other input's 1.
 */
@JCStressTest
@Outcome(id = "true, 0, 11", expect = ACCEPTABLE, desc = "it spoke first")
@Outcome(id = "true, 1, 1", expect = ACCEPTABLE, desc = "it was left out first: its tuple is late")
@Outcome(id = "false, 0, 1", expect = ACCEPTABLE, desc = "it met the consumer's hold: not taken")
@Outcome(expect = FORBIDDEN, desc = "the tuple was lost, or counted as late and in the sum")
@State
public class IdleReturn {
  private final AtomicLong clock = new AtomicLong();
  private final IdleAwareAggregate<String, Object> aggregate = open();

  public IdleReturn() {
    add(0, 9, 1);
  }

  private IdleAwareAggregate<String, Object> open() {
    AggregateSpec<String, WideSum, Object> spec =
        new AggregateSpec<>(
            new SlidingWindows(100, 100),
            t -> "key",
            Functions.<StreamTuple>sum(t -> t.attrs()[0]),
            scala.Option.empty());
    Idleness idleness = new Idleness(1, t -> BoxedUnit.UNIT, () -> clock.addAndGet(100));
    return new IdleTimeout(TuMLSC$.MODULE$, idleness)
        .open(spec, 2, new AggregateOptions(10, 10, IdleStrategy.Spin::new, false));
  }

  private boolean add(int input, long ts, long value) {
    return aggregate
        .sources()
        .apply(input)
        .tryAdd(new StreamTuple(ts, input, ts, Side.R$.MODULE$, new long[] {value}, null));
  }

  @Actor
  public void input1(ZIJ_Result r) {
    r.r1 = add(1, 3, 10);
  }

  @Actor
  public void consumer() {
    aggregate.poll();
  }

  @Arbiter
  public void rest(ZIJ_Result r) {
    aggregate.sources().apply(0).close();
    aggregate.sources().apply(1).close();
    r.r2 = (int) aggregate.lateTuples();
    WindowResults<String, Object> next = aggregate.poll();
    while (next != null) {
      r.r3 += (Long) next.value(0);
      next = aggregate.poll();
    }
  }
}

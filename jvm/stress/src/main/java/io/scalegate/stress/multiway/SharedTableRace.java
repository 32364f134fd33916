package io.scalegate.stress.multiway;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.scalegate.multiway.function.AggregateFunction;
import io.scalegate.multiway.function.Functions;
import io.scalegate.multiway.function.WideSum;
import io.scalegate.multiway.winset.SharedTable;
import io.scalegate.stream.Side;
import io.scalegate.stream.StreamTuple;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IJJ_Result;
import scala.runtime.BoxedUnit;

/** Threads bring the same new keys, of one bucket, and add to each other's states. */
@JCStressTest
@Outcome(id = "2, 11, 22", expect = ACCEPTABLE, desc = "each key once, with all that was added")
@Outcome(expect = FORBIDDEN, desc = "a key is there twice, or something was lost or doubled")
@State
public class SharedTableRace {
  private final AggregateFunction<StreamTuple, WideSum, Object> sum =
      Functions.<StreamTuple>sum(t -> t.attrs()[0]);
  private final SharedTable<StreamTuple, WideSum> table = new SharedTable<>(0, 1, sum);

  private void add(String key, int hash, long value) {
    table.add(key, hash, new StreamTuple(0, 0, 0, Side.R$.MODULE$, new long[] {value}, null));
  }

  @Actor
  public void one() {
    add("a", 16, 1);
    add("b", 32, 2);
  }

  @Actor
  public void other() {
    table.touch("a", 16);
    add("b", 32, 20);
    add("a", 16, 10);
  }

  @Arbiter
  public void rest(IJJ_Result r) {
    table.foreach(
        (key, state) -> {
          r.r1++;
          if (key.equals("a")) r.r2 += (Long) sum.result(state);
          else r.r3 += (Long) sum.result(state);
          return BoxedUnit.UNIT;
        });
  }
}

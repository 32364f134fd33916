package io.scalegate.stress.gate;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.scalegate.gate.GateReader;
import io.scalegate.gate.GateSource;
import io.scalegate.stream.StreamTuple;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LL_Result;

/** Two readers pass the same tuples and clean behind them. */
@JCStressTest
@Outcome(
    id = "1 2 3, 1 2 3",
    expect = ACCEPTABLE,
    desc = "each took a tuple before it was cleared")
@Outcome(expect = FORBIDDEN, desc = "a tuple was cleared before both had it, or lost")
@State
public class PayloadClearing extends GateState {
  private final GateSource<StreamTuple> source = gate.addSource();
  private final GateReader<StreamTuple> fast = gate.addReader();
  private final GateReader<StreamTuple> slow = gate.addReader();

  public PayloadClearing() {
    super(4);
    deliver(source, 1, 0);
    deliver(source, 2, 0);
    deliver(source, 3, 0);
  }

  @Actor
  public void fast(LL_Result r) {
    r.r1 = read(fast, 3);
  }

  @Actor
  public void slow(LL_Result r) {
    r.r2 = read(slow, 3);
  }
}

package io.scalegate.stress.gate;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.scalegate.gate.GateReader;
import io.scalegate.gate.GateSource;
import io.scalegate.gate.OutOfOrderException;
import io.scalegate.stream.Side;
import io.scalegate.stream.StreamTuple;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LL_Result;

/**
 * A source compares its next tuple with its last one of the same time, whose payload a reader
 * that waits replaces by its key.
 */
@JCStressTest
@Outcome(
    id = {"refused taken, ", "refused taken, 1"},
    expect = ACCEPTABLE,
    desc = "the source saw the tuple, or its key")
@Outcome(expect = FORBIDDEN, desc = "the source saw a key that was not made yet")
@State
public class KeyOfPassed extends GateState {
  private final GateSource<StreamTuple> source = gate.addSource();
  private final GateReader<StreamTuple> reader = gate.addReader();

  public KeyOfPassed() {
    super(4);
    source.tryAdd(numbered(5));
    read(reader, 1);
  }

  private static StreamTuple numbered(long seq) {
    return new StreamTuple(1, 0, seq, Side.R$.MODULE$, new long[] {1}, new Object());
  }

  private String deliverNumber(long seq) {
    try {
      return source.tryAdd(numbered(seq)) ? "taken" : "full";
    } catch (OutOfOrderException tie) {
      return "refused";
    }
  }

  @Actor
  public void source(LL_Result r) {
    r.r1 = deliverNumber(5) + " " + deliverNumber(6);
  }

  @Actor
  public void reader(LL_Result r) {
    StringBuilder times = new StringBuilder();
    for (int i = 0; i < 3; i++) {
      StreamTuple t = reader.getNextReadyTuple();
      if (t != null) times.append(t.ts());
    }
    r.r2 = times.toString();
  }
}

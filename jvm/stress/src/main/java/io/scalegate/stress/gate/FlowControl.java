package io.scalegate.stress.gate;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.scalegate.gate.GateReader;
import io.scalegate.gate.GateSource;
import io.scalegate.stream.StreamTuple;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LLL_Result;

/** A full source asks for room while the reader passes the tuple that fills it. */
@JCStressTest
@Outcome(
    id = "1, true, 2",
    expect = ACCEPTABLE,
    desc = "the tuple had been passed: there was room")
@Outcome(id = "1 2, true, ", expect = ACCEPTABLE, desc = "and the reader read on")
@Outcome(
    id = "1, false, ",
    expect = ACCEPTABLE,
    desc = "the tuple had not been passed, or its passing not counted")
@Outcome(expect = FORBIDDEN, desc = "room for two, or a tuple lost")
@State
public class FlowControl extends GateState {
  private final GateSource<StreamTuple> source = gate.addSource();
  private final GateReader<StreamTuple> reader = gate.addReader();

  public FlowControl() {
    super(1);
    deliver(source, 1, 0);
  }

  @Actor
  public void reader(LLL_Result r) {
    r.r1 = read(reader, 2);
  }

  @Actor
  public void source(LLL_Result r) {
    r.r2 = deliver(source, 2, 0);
  }

  @Arbiter
  public void rest(LLL_Result r) {
    r.r3 = read(reader, 3);
  }
}

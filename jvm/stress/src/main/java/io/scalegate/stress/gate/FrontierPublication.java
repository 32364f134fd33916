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
import org.openjdk.jcstress.infra.results.LL_Result;

/** A frontier that is seen vouches for the link, and the link for the tuple's own fields. */
@JCStressTest
@Outcome(id = ", 5 7", expect = ACCEPTABLE, desc = "no frontier was seen yet")
@Outcome(
    id = "5, 7",
    expect = ACCEPTABLE,
    desc = "the frontier was seen, and with it the link and the row")
@Outcome(
    expect = FORBIDDEN,
    desc = "a frontier was seen before its link, or a link before its row")
@State
public class FrontierPublication extends GateState {
  private final GateSource<StreamTuple> first = gate.addSource();
  private final GateSource<StreamTuple> second = gate.addSource();
  private final GateReader<StreamTuple> reader = gate.addReader();

  public FrontierPublication() {
    super(4);
    deliver(first, 7, 0);
  }

  @Actor
  public void source() {
    deliver(second, 5, 1);
  }

  @Actor
  public void reader(LL_Result r) {
    r.r1 = read(reader, 1);
  }

  @Arbiter
  public void rest(LL_Result r) {
    second.close();
    r.r2 = read(reader, 4);
  }
}
